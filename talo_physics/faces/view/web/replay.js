// The page: draws the scene at the slider's time from where the mouse has turned it.

const scene = JSON.parse(document.getElementById("scene").textContent);
const canvas = document.getElementById("canvas");
const screen = canvas.getContext("2d");
const slider = document.getElementById("time");
const playButton = document.getElementById("play");
const bare = document.body.classList.contains("bare");
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const GAP = 0.72;
const pawn = pawnShell(scene.pawn);
const shells = scene.pieces.map((piece) => (piece.pawn ? pawn : boxShell(piece.half)));
const state = {
  side: scene.view, round: scene.view[0], up: scene.view[1], zoom: 1, pan: [0, 0], time: scene.span[0], speed: 3, playing: false, sharp: false,
};
let raster = null, picture = null, queued = false, last = 0, sharpen = 0;

// ---- where things are

function poseAt(index, time) {
  const track = scene.tracks[index];
  if (!track) return scene.pieces[index].pose;
  const at = scene.times;
  const t = Math.min(Math.max(time, at[0]), at[at.length - 1]);
  let after = at.findIndex((value) => value >= t);
  if (after <= 0) return track[0];
  const share = (t - at[after - 1]) / (at[after] - at[after - 1]);
  return between(track[after - 1], track[after], share);
}

// A replay of what a pawn had held runs without it; before it starts the pawn is still there.
const isThere = (piece, time) => !piece.leaves || time <= scene.span[0];

// All that should be seen from a side: the board with its numbers, the measuring bar, and where pieces come through.
function corners(camera) {
  const [low, high] = scene.bounds, [x, y] = staffFoot(camera);
  const box = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [0, 1, 2].map((axis) => ((i >> axis) & 1 ? high : low)[axis]));
  return [...box, [-1, -1, 0], [11, -1, 0], [-1, 11, 0], [11, 11, 0], [x, y, 0], [x, y, scene.levels]];
}

function extent(camera) {
  const pixels = corners(camera).map((point) => camera.project(point));
  const range = (axis) => pixels.map((p) => p[axis]).reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
  return [range(0), range(1)];
}

// As large as the page has room for from the last chosen side; turning by hand keeps that size.
function cameraFor(width, height) {
  const [low, high] = scene.bounds;
  const target = times(plus(low, high), 0.5);
  const distance = 4.6 * Math.max(Math.hypot(...minus(high, low)) / 2, 8);
  const chosen = extent(new Camera(...state.side, target, distance, 1, 0, 0));
  const margin = 0.05 * Math.min(width, height);
  const room = [width - 2 * margin, height - 2 * margin].map((side, i) => side / (chosen[i][1] - chosen[i][0]));
  const focal = Math.min(...room) * state.zoom;
  const camera = new Camera(state.round, state.up, target, distance, focal, 0, 0);
  const [x, y] = extent(camera).map(([a, b]) => (a + b) / 2);
  camera.middle = [width * (0.5 + state.pan[0]) - x, height * (0.5 + state.pan[1]) - y];
  return camera;
}

// ---- drawing

const square = (x0, y0, x1, y1) => [[x0, y0, 0], [x1, y0, 0], [x1, y1, 0], [x0, y1, 0]];

function drawGround(painter) {
  const table = scene.fields === null, edge = scene.rim;
  painter.ground(square(-edge, -edge, 10 + edge, 10 + edge), table ? scene.light.background : scene.rimColour, 1);
  painter.raster.near.fill(0); // the ground lies under everything, also under its own fields
  for (let y = 0; y < 10; y++) {
    for (let x = 0; x < 10; x++) {
      painter.ground(square(x, y, x + 1, y + 1), table ? scene.light.background : scene.fields[y][x], 2 + 10 * y + x);
    }
  }
  for (const [x, y] of scene.starts) {
    const ring = Array.from({ length: 24 }, (_, i) => [x + 0.5 + 0.26 * Math.cos((i * Math.PI) / 12), y + 0.5 + 0.26 * Math.sin((i * Math.PI) / 12), 0]);
    painter.raster.near.fill(0);
    painter.ground(ring, scene.startColour, 200 + 10 * y + x);
  }
  painter.raster.near.fill(0);
}

function staffFoot(camera) {
  const corners = [[-GAP, -GAP], [-GAP, 10 + GAP], [10 + GAP, -GAP], [10 + GAP, 10 + GAP]];
  const along = (axis, c) => axis[0] * c[0] + axis[1] * c[1];
  const leftmost = (a, b) => Math.round(10 * (along(camera.right, a) - along(camera.right, b)));
  return corners.sort((a, b) => leftmost(a, b) || along(camera.forward, a) - along(camera.forward, b))[0];
}

const pixelRatio = () => Math.min(window.devicePixelRatio || 1, 2);
const size = () => [canvas.clientWidth, canvas.clientHeight].map((side) => Math.max(2, Math.round(side * pixelRatio())));

function draw() {
  queued = false;
  const ratio = pixelRatio(), [width, height] = size();
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const fine = state.sharp && ratio < 2 ? 2 : 1;
  if (!raster || raster.width !== width * fine || raster.height !== height * fine) {
    raster = new Raster(width * fine, height * fine);
    picture = new OffscreenPicture(width * fine, height * fine);
  }
  const camera = cameraFor(width * fine, height * fine);
  const painter = new Painter(raster, camera, scene.light);
  drawGround(painter);
  const shown = scene.pieces.map((piece, i) => {
    const pose = poseAt(i, state.time);
    return isThere(piece, state.time) ? { piece, pose, faces: shells[i].map((face) => face.map((p) => placed(pose, p))) } : null;
  }).filter(Boolean);
  for (const { faces } of shown) painter.shadow(faces);
  const marked = new Set();
  for (const item of shown) {
    item.solid = painter.solid(item.faces, item.piece.colour, item.piece.pawn);
    if (item.piece.proposed) marked.add(item.solid);
  }
  drawStaff(painter, camera);
  painter.paint(picture.pixels, marked, scene.proposedColour, Math.max(1, Math.round(fine * ratio * 1.4)));
  picture.show(screen, width, height);
  const pen = new Pen(camera, 1 / fine, ratio);
  drawWords(pen, painter, camera, fine);
  for (const item of shown) if (item.piece.label) drawLength(pen, painter, camera, item, fine);
  for (const ghost of scene.ghosts) pen.edges(boxShell(ghost.half).map((face) => face.map((p) => placed(ghost.pose, p))), scene.fallenColour);
  for (const [start, end] of scene.moves) pen.arrow(start, end, scene.proposedColour);
}

class OffscreenPicture {
  constructor(width, height) {
    this.canvas = document.createElement("canvas");
    [this.canvas.width, this.canvas.height] = [width, height];
    this.context = this.canvas.getContext("2d");
    this.data = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.data.data.buffer);
  }

  show(target, width, height) {
    this.context.putImageData(this.data, 0, 0);
    target.imageSmoothingEnabled = true;
    target.imageSmoothingQuality = "high";
    target.drawImage(this.canvas, 0, 0, width, height);
  }
}

function drawStaff(painter, camera) {
  if (state.up > 70) return;
  const [x, y] = staffFoot(camera);
  const shell = boxShell([0.09, 0.09, 0.5]);
  for (let level = 0; level < scene.levels; level++) {
    painter.solid(shell.map((face) => face.map((p) => plus(p, [x, y, level + 0.5]))), scene.staff[level % 2], true);
  }
}

class Pen {
  constructor(camera, scale, ratio) {
    Object.assign(this, { camera, scale, ratio });
  }

  at(point) {
    const [x, y] = this.camera.project(point);
    return [x * this.scale, y * this.scale];
  }

  write(text, point, size, colour) {
    const [x, y] = this.at(point);
    screen.font = `${size}px system-ui, sans-serif`;
    screen.textAlign = "center";
    screen.textBaseline = "middle";
    screen.fillStyle = `rgb(${colour.join(",")})`;
    screen.fillText(text, x, y);
  }

  line(points, colour, dash) {
    screen.strokeStyle = `rgb(${colour.join(",")})`;
    screen.lineWidth = 2 * this.ratio;
    screen.setLineDash(dash ? [5 * this.ratio, 4 * this.ratio] : []);
    screen.beginPath();
    points.forEach((p, i) => (i ? screen.lineTo(...this.at(p)) : screen.moveTo(...this.at(p))));
    screen.stroke();
  }

  edges(faces, colour) {
    for (const face of faces) this.line([...face, face[0]], colour, true);
  }

  arrow(start, end, colour) {
    const far = Math.hypot(...minus(end, start));
    const way = Array.from({ length: 25 }, (_, i) => {
      const s = i / 24;
      return plus(plus(start, times(minus(end, start), s)), [0, 0, 4 * s * (1 - s) * (0.5 + 0.12 * far)]);
    });
    this.line(way, colour, false);
    const [x, y] = this.at(way[24]), [px, py] = this.at(way[22]);
    const norm = Math.hypot(x - px, y - py) || 1, size = 10 * this.ratio;
    const [dx, dy] = [((x - px) / norm) * size, ((y - py) / norm) * size];
    screen.fillStyle = `rgb(${colour.join(",")})`;
    screen.beginPath();
    screen.moveTo(x, y);
    screen.lineTo(x - dx - dy / 2, y - dy + dx / 2);
    screen.lineTo(x - dx + dy / 2, y - dy - dx / 2);
    screen.fill();
  }
}

function drawWords(pen, painter, camera, fine) {
  const write = (text, point) => {
    const [x, y] = camera.project(point);
    if (painter.sees(0, x, y)) pen.write(text, point, size, scene.ink); // not over a block that hides it
  };
  const size = 13 * pen.ratio, count = scene.fields === null ? 11 : 10, half = scene.fields === null ? 0 : 0.5;
  const [nearX, nearY] = [0, 1].map((axis) => [10 + GAP, -GAP].sort((a, b) => {
    const nearer = (a - b) * camera.forward[axis];
    return Math.abs(nearer) > 1e-3 ? nearer : (b - a) * camera.right[axis]; // else at the right
  })[0]);
  const row = (points, texts) => {
    const pixels = points.map((p) => pen.at(p));
    const room = Math.min(...pixels.slice(1).map((p, i) => Math.max(Math.abs(p[0] - pixels[i][0]) / (1.15 * size), Math.abs(p[1] - pixels[i][1]) / (0.8 * size))));
    const every = Math.max(1, Math.ceil(1 / Math.max(room, 0.05)));
    points.forEach((p, i) => { if (i % every === 0) write(texts[i], p); });
  };
  const numbers = Array.from({ length: count }, (_, i) => i);
  row(numbers.map((i) => [i + half, nearY, 0]), numbers);
  row(numbers.map((i) => [nearX, i + half, 0]), numbers);
  write("x", [5, nearY + Math.sign(nearY) * GAP, 0]);
  write("y", [nearX + Math.sign(nearX) * GAP, 5, 0]);
  if (state.up > 70) return;
  const [x, y] = staffFoot(camera), levels = Array.from({ length: scene.levels + 1 }, (_, i) => i);
  row(levels.map((z) => [x - 0.36 * camera.right[0], y - 0.36 * camera.right[1], z]), levels);
}

// A block's length, printed where most of a unit of it is seen.
function drawLength(pen, painter, camera, { piece, pose, solid }, fine) {
  const [length, side] = [piece.half[0], piece.half[1]], cells = Math.max(1, Math.round(2 * length));
  const places = [];
  for (let axis = 0; axis < 3; axis++) {
    const direction = turned(pose, [0, 1, 2].map((i) => (i === axis ? 1 : 0)));
    const outwards = dot(direction, minus(camera.eye, pose)) > 0 ? 1 : -1;
    for (let cell = 0; cell < (axis === 0 ? 1 : cells); cell++) {
      const step = axis === 0 ? 0 : ((cell - (cells - 1) / 2) * 2 * length) / cells;
      const local = [axis === 0 ? outwards * length : step, axis === 1 ? outwards * side : 0, axis === 2 ? outwards * side : 0];
      const around = [0, 1, 2].filter((i) => i !== axis).flatMap((i) => [0.6, -0.6].map((k) => local.map((v, j) => v + (i === j ? k * side : 0))));
      const pixels = [local, ...around].map((p) => camera.project(placed(pose, p)));
      const a = [pixels[1][0] - pixels[2][0], pixels[1][1] - pixels[2][1]], b = [pixels[3][0] - pixels[4][0], pixels[3][1] - pixels[4][1]];
      const area = Math.abs(a[0] * b[1] - a[1] * b[0]);
      places.push({ area, step: Math.abs(step), pixels, room: area / Math.max(Math.hypot(...a), Math.hypot(...b), 1e-9) / 0.6 });
    }
  }
  const most = Math.max(...places.map((place) => place.area));
  const rank = (place) => Math.round((3 * place.area) / most);
  places.sort((one, other) => rank(other) - rank(one) || one.step - other.step);
  const best = places.find(({ pixels }) => pixels.every(([x, y]) => painter.sees(solid, x, y)));
  const size = best ? Math.min(best.room * 0.55, 44 * fine * pen.ratio) / fine : 0;
  if (size < 7) return;
  screen.font = `${size}px system-ui, sans-serif`;
  screen.textAlign = "center";
  screen.textBaseline = "middle";
  screen.fillStyle = `rgb(${piece.ink.join(",")})`;
  screen.fillText(piece.label, best.pixels[0][0] / fine, best.pixels[0][1] / fine);
}

// ---- time and hands

function refresh() {
  state.sharp = false;
  clearTimeout(sharpen);
  if (!bare) sharpen = setTimeout(() => { state.sharp = true; request(); }, 140); // finer once nothing moves
  request();
}

function request() {
  if (!queued) {
    queued = true;
    requestAnimationFrame(draw);
  }
}

function setTime(time) {
  state.time = Math.min(Math.max(time, scene.span[0]), scene.span[1]);
  slider.value = String(state.time);
  document.getElementById("clock").textContent = `${state.time.toFixed(2)} s`;
  refresh();
}

function setPlaying(playing) {
  state.playing = playing && scene.falls;
  playButton.textContent = state.playing ? "Pause" : "Play";
  if (state.playing) {
    if (state.time >= scene.span[1] - 1e-6) setTime(scene.span[0]);
    last = performance.now();
    requestAnimationFrame(tick);
  }
}

function tick(now) {
  if (!state.playing) return;
  setTime(state.time + Math.max(0, (now - last) / 1000) * SPEEDS[state.speed]);
  last = now;
  if (state.time >= scene.span[1] - 1e-6) setPlaying(false);
  else requestAnimationFrame(tick);
}

function setSpeed(speed) {
  state.speed = Math.min(Math.max(speed, 0), SPEEDS.length - 1);
  document.getElementById("speed").textContent = `${SPEEDS[state.speed]}x`;
}

function look(round, up) {
  Object.assign(state, { side: [round, up], round, up, zoom: 1, pan: [0, 0] });
  refresh();
}

function listen() {
  const fingers = new Map();
  let apart = 0;
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    if (fingers.size === 2) apart = spread();
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    if (fingers.size === 2) {
      zoomBy(spread() / Math.max(apart, 1));
      apart = spread();
    } else if (event.shiftKey || event.buttons === 2) {
      state.pan = [state.pan[0] + dx / canvas.clientWidth, state.pan[1] + dy / canvas.clientHeight];
    } else {
      state.round -= dx * 0.4;
      state.up = Math.min(90, Math.max(3, state.up + dy * 0.3));
    }
    refresh();
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY * 0.0012));
  }, { passive: false });
  document.addEventListener("keydown", (event) => {
    if (event.key === " " && !(event.target instanceof HTMLButtonElement)) {
      event.preventDefault();
      setPlaying(!state.playing);
    }
  });
  playButton.addEventListener("click", () => setPlaying(!state.playing));
  slider.addEventListener("input", () => { setPlaying(false); setTime(Number(slider.value)); });
  document.getElementById("slower").addEventListener("click", () => setSpeed(state.speed - 1));
  document.getElementById("faster").addEventListener("click", () => setSpeed(state.speed + 1));
  for (const button of document.querySelectorAll("[data-view]")) {
    button.addEventListener("click", () => look(...button.dataset.view.split(",").map(Number)));
  }
  new ResizeObserver(() => { if (size().some((side, i) => side !== [canvas.width, canvas.height][i])) refresh(); }).observe(canvas);
}

function zoomBy(factor) {
  state.zoom = Math.min(8, Math.max(0.3, state.zoom * factor));
  refresh();
}

if (screen) {
  listen();
  setSpeed(state.speed);
  setTime(scene.span[0]);
} else {
  document.getElementById("trouble").hidden = false;
}
