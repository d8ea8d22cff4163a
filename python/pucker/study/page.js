const head = JSON.parse(document.getElementById("head").textContent);
const at = (id) => document.getElementById(id);
const key = `pucker study ${head.study}`;
const urls = new Map();
let person, order, answers, shownSince;

// A browser may keep nothing of a file that it opened; then a reload begins anew.
function kept() {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}

function keep() {
  try { localStorage.setItem(key, JSON.stringify({ person, order, answers })); } catch { /* as above */ }
}

function begin() {
  const numbers = crypto.getRandomValues(new Uint32Array(3));
  person = Array.from(numbers, (each) => each.toString(16).padStart(8, "0")).join("");
  const wish = /(?:^|[#&])order=(\d+)/.exec(location.hash);
  order = wish === null ? numbers[0] % head.orders.length : Number(wish[1]) % head.orders.length;
  answers = [];
}

// The video's bytes are made into an address once, since the same video is in many pairs.
function url(number) {
  if (!urls.has(number)) {
    const text = atob(at(`video${number}`).textContent);
    const bytes = Uint8Array.from(text, (each) => each.charCodeAt(0));
    urls.set(number, URL.createObjectURL(new Blob([bytes], { type: "video/mp4" })));
  }
  return urls.get(number);
}

function trial() {
  const [number, turned] = head.orders[order][answers.length];
  const pair = head.pairs[number];
  const sides = turned ? [1, 0] : [0, 1];
  return { scene: pair.scene, items: sides.map((side) => pair.items[side]), videos: sides.map((side) => pair.videos[side]) };
}

function show() {
  const count = head.orders[order].length;
  const done = answers.length === count;
  at("begin").hidden = true;
  at("ask").hidden = done;
  at("end").hidden = !done;
  document.documentElement.dataset.answered = String(answers.length);
  if (done) return;
  const asked = trial();
  const videos = [...document.querySelectorAll("#ask video")];
  videos.forEach((video, side) => { video.src = url(asked.videos[side]); });
  const number = answers.length;
  // Both begin together, and are brought together again should one fall behind, so that they show the same pose.
  Promise.all(videos.map((video) => new Promise((ready) => { video.oncanplay = ready; video.onerror = ready; }))).then(() => {
    if (number !== answers.length) return;
    videos.forEach((video) => { video.play().catch(() => {}); });
    document.documentElement.dataset.playing = String(number);
  });
  videos[0].ontimeupdate = () => {
    const apart = Math.abs(videos[0].currentTime - videos[1].currentTime);
    if (apart > 0.1 && apart < videos[0].duration - 0.1) videos[1].currentTime = videos[0].currentTime;
  };
  at("progress").textContent = `${answers.length + 1} of ${count}`;
  at("back").disabled = answers.length === 0;
  shownSince = performance.now();
}

function choose(chosen) {
  if (at("ask").hidden) return;
  const { scene, items } = trial();
  const seconds = Math.round((performance.now() - shownSince) / 100) / 10;
  answers.push({ scene, left: items[0], right: items[1], chosen, seconds });
  keep();
  show();
}

function save() {
  const told = { header: head.header, study: head.study, version: head.version, person, order, items: head.items, asked: head.orders[order].length, answers };
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(told, null, 1)], { type: "application/json" }));
  link.download = `answers-${person.slice(0, 8)}.json`;
  link.click();
}

const before = kept();
if (before !== null && head.orders[before.order] !== undefined) {
  ({ person, order, answers } = before);
} else {
  begin();
}
at("count").textContent = `There are ${head.orders[order].length} pairs.`;
at("start").textContent = answers.length > 0 ? "Go on" : "Start";
at("start").onclick = show;
at("left").onclick = () => choose("left");
at("right").onclick = () => choose("right");
at("back").onclick = () => { answers.pop(); keep(); show(); };
at("save").onclick = save;
at("again").onclick = () => { begin(); keep(); show(); };
document.addEventListener("keydown", (event) => {
  if (event.repeat) return;
  if (event.key === "ArrowLeft") choose("left");
  if (event.key === "ArrowRight") choose("right");
});
document.documentElement.dataset.state = "ready";
