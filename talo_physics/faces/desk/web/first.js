// The first picture is there before viser's page. It goes once that one draws, and stays where that one cannot.

const first = document.getElementById("first"), said = document.getElementById("first-said");
const words = document.getElementById("first-words"), frame = first.querySelector("iframe");
const LOOK_MS = 2000, PATIENCE_MS = 20000, APPEARS_MS = 1500;
const FOLLOWS = "This picture and these words follow the table.";
let picture = "", follows = false, since = 0, appears = false, arrived = false;

function say(text, lasting) {
  said.textContent = text;
  said.classList.toggle("lasting", lasting);
}

function canDraw() {
  const drawing = document.createElement("canvas").getContext("webgl2");
  drawing?.getExtension("WEBGL_lose_context")?.loseContext();
  return Boolean(drawing);
}

// Viser's page comes as one script that carries everything in its attributes.
async function bringDesk() {
  const answer = await fetch("index.html");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const old of page.querySelectorAll("script")) {
    const script = document.createElement("script");
    for (const { name, value } of old.attributes) script.setAttribute(name, value);
    script.textContent = old.textContent;
    document.head.append(script);
  }
}

// Once it has been told of the table, one of viser's canvases appears slowly, from all but nothing.
function hasDrawn(now) {
  const canvases = [...document.querySelectorAll("#root canvas")];
  if (!canvases.length || !document.getElementById("title")) return false;
  since ||= now;
  first.classList.add("half"); // the controls are there and can be used
  const dim = canvases.some((canvas) => Number(getComputedStyle(canvas).opacity) < 0.99);
  appears ||= dim;
  return !dim && (appears || now - since > APPEARS_MS);
}

function watch(now) {
  if (!hasDrawn(now)) {
    requestAnimationFrame(watch);
    return;
  }
  arrived = true;
  follows = false;
  first.classList.add("leaving");
  setTimeout(() => first.remove(), 300);
  lookAfter();
}

// Viser's page fades its controls while nobody answers, and comes back by itself; it says neither.
async function lookAfter() {
  if (!document.hidden) {
    const answer = await fetch("alive").catch(() => null);
    document.getElementById("gone").hidden = Boolean(answer?.ok);
  }
  setTimeout(lookAfter, LOOK_MS);
}

function stay(why) {
  say(`${why} ${FOLLOWS}`, true);
  follows = true;
  follow(why);
}

async function follow(why) {
  if (!follows) return;
  try {
    const table = await (await fetch("table.json")).json();
    if (table.picture !== picture) frame.srcdoc = picture = table.picture;
    if (words.innerHTML !== table.words) words.innerHTML = table.words; // the desk has escaped what is a stranger's
    say(`${why} ${FOLLOWS}`, true);
  } catch {
    say("The desk does not answer: has it been ended? This is how the table was; the picture goes on when it is back.", true);
  }
  setTimeout(follow, LOOK_MS, why);
}

async function begin() {
  if (!canDraw()) {
    stay("This browser cannot draw in three dimensions (WebGL is missing or switched off), and the controls need that: here one can only look.");
    return;
  }
  requestAnimationFrame(watch);
  setTimeout(() => arrived || stay("The controls have not come yet; loading the page again may help."), PATIENCE_MS);
  try {
    await bringDesk();
  } catch {
    stay("The controls could not be loaded; load the page again.");
  }
}

// Only once the picture is on the screen: what follows keeps the browser busy.
let begun = false;
const beginOnce = () => {
  if (!begun) begin();
  begun = true;
};
frame.addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(beginOnce)));
setTimeout(beginOnce, 1000);
