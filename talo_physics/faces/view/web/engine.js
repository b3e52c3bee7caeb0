// Boxes and pawns on a canvas, without a graphics card: convex faces into a depth buffer, then colours and lines.
// Lengths are in units, z is up. A face is a list of points, counter-clockwise as seen from outside.

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const times = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => times(a, 1 / Math.max(Math.hypot(...a), 1e-12));

// A pose is [x, y, z, qx, qy, qz, qw].
function turned(pose, v) {
  const q = [pose[3], pose[4], pose[5]], w = pose[6];
  const t = times(cross(q, v), 2);
  return plus(plus(v, times(t, w)), cross(q, t));
}
const placed = (pose, v) => plus(turned(pose, v), pose);

function between(one, other, share) {
  const sign = one[3] * other[3] + one[4] * other[4] + one[5] * other[5] + one[6] * other[6] < 0 ? -1 : 1;
  const mixed = one.map((value, i) => value + share * ((i < 3 ? 1 : sign) * other[i] - value));
  const norm = Math.hypot(mixed[3], mixed[4], mixed[5], mixed[6]) || 1;
  return mixed.map((value, i) => (i < 3 ? value : value / norm));
}

const CORNERS = [
  [[1, -1, -1], [1, 1, -1], [1, 1, 1], [1, -1, 1]],
  [[-1, 1, -1], [-1, -1, -1], [-1, -1, 1], [-1, 1, 1]],
  [[1, 1, -1], [-1, 1, -1], [-1, 1, 1], [1, 1, 1]],
  [[-1, -1, -1], [1, -1, -1], [1, -1, 1], [-1, -1, 1]],
  [[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]],
  [[-1, 1, -1], [1, 1, -1], [1, -1, -1], [-1, -1, -1]],
];
const boxShell = (half) => CORNERS.map((face) => face.map((c) => [c[0] * half[0], c[1] * half[1], c[2] * half[2]]));

function pawnShell(outline, sides = 20) {
  const ring = ([radius, height]) => Array.from({ length: sides }, (_, i) => {
    const angle = (2 * Math.PI * i) / sides;
    return [radius * Math.cos(angle), radius * Math.sin(angle), height];
  });
  const rings = outline.map(ring), faces = [];
  for (let r = 1; r + 1 < rings.length; r++) {
    const crown = r + 2 === rings.length;
    for (let i = 0; i < sides; i++) {
      const j = (i + 1) % sides;
      const low = [rings[r][i], rings[r][j]];
      faces.push(crown ? [...low, rings[r + 1][0]] : [...low, rings[r + 1][j], rings[r + 1][i]]);
    }
  }
  faces.push([...rings[1]].reverse());
  return faces;
}

class Camera {
  constructor(round, up, target, distance, focal, width, height) {
    const a = (round * Math.PI) / 180, b = (up * Math.PI) / 180;
    const towards = [Math.sin(a) * Math.cos(b), -Math.cos(a) * Math.cos(b), Math.sin(b)];
    this.right = [Math.cos(a), Math.sin(a), 0];
    this.up = cross(towards, this.right);
    this.forward = times(towards, -1);
    this.eye = plus(target, times(towards, distance));
    this.focal = focal;
    this.middle = [width / 2, height / 2];
  }

  // Pixel x, pixel y, and one over the distance, which is linear in the pixels.
  project(point) {
    const v = minus(point, this.eye);
    const near = 1 / Math.max(dot(v, this.forward), 0.05);
    return [this.middle[0] + this.focal * dot(v, this.right) * near, this.middle[1] - this.focal * dot(v, this.up) * near, near];
  }
}

class Raster {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.near = new Float32Array(width * height);
    this.face = new Int32Array(width * height);
    this.shadow = new Uint8Array(width * height);
  }

  clear() {
    this.near.fill(0);
    this.face.fill(0); // face 0 is nothing
    this.shadow.fill(0);
  }

  // What `visit(begin, end, row)` is to do with each row of pixels of a face that looks here.
  rows(points, visit) {
    let area = 0, top = Infinity, bottom = -Infinity;
    for (let i = 0; i < points.length; i++) {
      const p = points[i], q = points[(i + 1) % points.length];
      area += p[0] * q[1] - p[1] * q[0];
      top = Math.min(top, p[1]);
      bottom = Math.max(bottom, p[1]);
    }
    if (!(area < -0.1)) return; // its back, or only its edge
    const last = Math.min(this.height, Math.ceil(bottom - 0.5));
    for (let row = Math.max(0, Math.ceil(top - 0.5)); row < last; row++) {
      const y = row + 0.5;
      let left = Infinity, right = -Infinity;
      for (let i = 0; i < points.length; i++) {
        const p = points[i], q = points[(i + 1) % points.length];
        if (y >= p[1] === y >= q[1]) continue;
        const x = p[0] + ((y - p[1]) * (q[0] - p[0])) / (q[1] - p[1]);
        left = Math.min(left, x);
        right = Math.max(right, x);
      }
      const begin = Math.max(0, Math.ceil(left - 0.5)), end = Math.min(this.width, Math.ceil(right - 0.5));
      if (begin < end) visit(begin, end, row);
    }
  }

  fill(points, number) {
    const [[x0, y0, w0], [x1, y1, w1], [x2, y2, w2]] = points;
    const area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
    const byX = ((w1 - w0) * (y2 - y0) - (w2 - w0) * (y1 - y0)) / area;
    const byY = ((w2 - w0) * (x1 - x0) - (w1 - w0) * (x2 - x0)) / area;
    this.rows(points, (begin, end, row) => {
      let near = w0 + byX * (begin + 0.5 - x0) + byY * (row + 0.5 - y0);
      for (let i = row * this.width + begin; i < row * this.width + end; i++, near += byX) {
        if (near > this.near[i]) {
          this.near[i] = near;
          this.face[i] = number;
        }
      }
    });
  }

  darken(points) {
    this.rows(points, (begin, end, row) => this.shadow.fill(1, row * this.width + begin, row * this.width + end));
  }
}

const packed = (colour, bright) => {
  const [r, g, b] = colour.map((value) => Math.max(0, Math.min(255, Math.round(value * bright))));
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
};

// Collects the faces of one frame: first the flat ground, then solids; then paints them.
class Painter {
  constructor(raster, camera, light) {
    Object.assign(this, { raster, camera, light });
    const towardsSun = plus(plus(times(camera.right, -0.62), [0, 0, 1.15]), times(cross([0, 0, 1], camera.right), -0.42));
    this.sun = unit(towardsSun);
    this.owner = [0];
    this.key = [0];
    this.colours = [packed(light.background, 1)];
    this.dark = [packed(light.background, light.groundShade)];
    this.solids = 0;
    raster.clear();
  }

  face(points, owner, key, colour, bright, shade) {
    if (points.some((p) => dot(minus(p, this.camera.eye), this.camera.forward) < 0.1)) return; // behind the eye
    this.owner.push(owner);
    this.key.push(key);
    this.colours.push(packed(colour, bright));
    this.dark.push(packed(colour, shade));
    this.raster.fill(points.map((p) => this.camera.project(p)), this.owner.length - 1);
  }

  ground(points, colour, key) {
    this.face(points, 0, key, colour, 1, this.light.groundShade);
  }

  shadow(faces) {
    for (const face of faces) {
      if (dot(normal(face), this.sun) <= 0) continue;
      const flat = face.map((p) => minus(p, times(this.sun, Math.max(p[2], 0) / this.sun[2])));
      this.raster.darken(flat.map((p) => this.camera.project([p[0], p[1], 0])));
    }
  }

  solid(faces, colour, smooth) {
    this.solids += 1;
    const base = this.key.length;
    for (const face of faces) {
      const n = normal(face);
      const shade = this.light.ambient + this.light.sky * n[2];
      const bright = shade + this.light.sun * Math.max(0, dot(n, this.sun));
      this.face(face, this.solids, 1000 + base + (smooth ? 0 : this.key.length), colour, bright, bright);
    }
    return this.solids;
  }

  // Colours and lines into 32-bit pixels; `marked` are the solids outlined in `mark`, `line` pixels wide.
  paint(pixels, marked, mark, line) {
    const { width, height, face, shadow } = this.raster;
    const { owner, key, colours, dark } = this;
    const outline = packed(mark, 1);
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0; x < width; x++, i++) {
        const f = face[i], right = x + 1 < width ? face[i + 1] : f, below = y + 1 < height ? face[i + width] : f;
        let colour = owner[f] === 0 && shadow[i] ? dark[f] : colours[f];
        if (f !== right || f !== below) {
          if (owner[f] !== owner[right] || owner[f] !== owner[below]) colour = dimmed(colour, 0.4);
          else if (key[f] !== key[right] || key[f] !== key[below]) colour = dimmed(colour, owner[f] ? 0.7 : 0.82);
        }
        pixels[i] = colour;
      }
    }
    if (!marked.size) return;
    const reach = [-line, line, -line * width, line * width];
    for (let i = 0; i < face.length; i++) {
      const f = face[i];
      if (!marked.has(owner[f])) continue;
      for (const step of reach) {
        const other = face[i + step] ?? 0;
        if (key[f] !== key[other]) {
          pixels[i] = outline;
          break;
        }
      }
    }
  }

  // Whether a solid is what is seen at a pixel.
  sees(solid, x, y) {
    const column = Math.floor(x), row = Math.floor(y);
    if (column < 0 || row < 0 || column >= this.raster.width || row >= this.raster.height) return false;
    return this.owner[this.raster.face[row * this.raster.width + column]] === solid;
  }
}

const normal = (face) => unit(cross(minus(face[1], face[0]), minus(face[2], face[1])));
const dimmed = (colour, share) => {
  const r = (colour & 255) * share, g = ((colour >> 8) & 255) * share, b = ((colour >> 16) & 255) * share;
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
};
