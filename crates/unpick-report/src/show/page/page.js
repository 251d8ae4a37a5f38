"use strict";
// Everything that comes from the program under test reaches the page as text, through textContent or
// fillText, never as markup.

const ZOOMS = [1, 2, 3, 5, 8, 12, 16, 20, 24, 32];
const GUTTER = 64, HEAD = 26, LANE_MIN = 110, HEIGHT_MAX = 15000000, LINES_AROUND = 150, LINKS_MAX = 40;
const byId = (id) => document.getElementById(id);

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Offsets into `order`: the entries whose key is k lie from start[k] to start[k + 1]. */
function grouped(keys, count) {
  const start = new Int32Array(count + 1);
  for (const key of keys) start[key + 1]++;
  for (let k = 0; k < count; k++) start[k + 1] += start[k];
  const next = start.slice(), order = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) order[next[keys[i]]++] = i;
  return { start, order, of: (key) => order.subarray(start[key], start[key + 1]) };
}

/** What is known of a schedule. Items are its steps and then its endings. */
class Schedule {
  constructor(data) {
    Object.assign(this, data);
    this.stepCount = data.task.length;
    this.count = this.stepCount + data.endings.length;
    this.into = grouped(data.to, this.stepCount);
    this.outOf = grouped(data.from, this.stepCount);
    this.ofTask = grouped(data.task, data.tasks.length);
    this.ordinal = new Int32Array(this.stepCount);
    for (let task = 0; task < data.tasks.length; task++) {
      this.ofTask.of(task).forEach((step, index) => { this.ordinal[step] = index; });
    }
    this.found = new Uint8Array(this.count);
    // Tasks that do nothing here get no lane.
    const isBusy = (task) => this.ofTask.of(task).length > 0 || data.endings.some(([own]) => own === task);
    this.lanes = data.tasks.map((_, task) => task).filter(isBusy);
    this.laneOf = new Int32Array(data.tasks.length);
    this.lanes.forEach((task, lane) => { this.laneOf[task] = lane; });
  }
  isStep(item) { return item < this.stepCount; }
  ending(item) { return this.endings[item - this.stepCount]; }
  taskOf(item) { return this.isStep(item) ? this.task[item] : this.ending(item)[0]; }
  whatOf(item) { return this.isStep(item) ? this.words[this.what[item]] : this.ending(item)[1]; }
  valueText(item) { return this.isStep(item) ? this.values[this.value[item]] : ""; }
  siteOf(item) { return this.isStep(item) ? this.site[item] : this.ending(item)[2]; }
  isShown(item) { return !this.isStep(item) || (this.flags[item] & 1) === 1; }
  isSwitch(item) { return !this.isStep(item) || (this.flags[item] & 6) !== 0; }
  isPreemption(item) { return this.isStep(item) && (this.flags[item] & 4) !== 0; }
  label(item) {
    const value = this.valueText(item);
    return this.whatOf(item) + (value === "" ? "" : value[0] === "=" ? " " + value : ", " + value);
  }
  place(site) {
    if (site < 0) return "";
    const [file, line] = this.sites[site];
    return this.files[file].name + ":" + line;
  }
  line(site) {
    if (site < 0) return undefined;
    const [file, line] = this.sites[site];
    for (const [first, lines] of this.files[file].pieces) {
      if (line >= first && line < first + lines.length) return lines[line - first];
    }
    return undefined;
  }
  /** The locks that a task holds after a step. */
  heldAt(task, item) {
    const steps = this.ofTask.of(task);
    let low = 0, high = steps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (steps[middle] <= item) low = middle + 1; else high = middle;
    }
    return low === 0 ? [] : this.locks[this.held[steps[low - 1]]];
  }
  search(query) {
    const wanted = query.toLowerCase();
    const places = this.sites.map((_, site) =>
      (this.place(site) + " " + (this.line(site) || "")).toLowerCase());
    let count = 0;
    for (let item = 0; item < this.count; item++) {
      const task = this.taskOf(item), site = this.siteOf(item);
      const text = (task < 0 ? "" : this.tasks[task]) + " " + this.label(item);
      const hit = wanted !== "" &&
        (text.toLowerCase().includes(wanted) || (site >= 0 && places[site].includes(wanted)));
      this.found[item] = hit ? 1 : 0;
      count += this.found[item];
    }
    return count;
  }
}

/** One schedule on the screen: a canvas as large as what is visible, within something as large as all. */
class View {
  constructor(schedule, title) {
    this.schedule = schedule;
    this.box = element("div", "view");
    if (title) this.box.append(element("h2", "", schedule.program + ": " + schedule.outcome));
    this.scroller = element("div", "scroller");
    this.scroller.tabIndex = 0;
    this.space = element("div");
    this.canvas = element("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The steps of each task; the chosen one is told beside it");
    this.space.append(this.canvas);
    this.scroller.append(this.space);
    this.box.append(this.scroller);
    this.chosen = Math.min(schedule.stepCount, schedule.count - 1);
    this.scroller.addEventListener("scroll", () => this.later());
    this.canvas.addEventListener("click", (event) => this.click(event));
    this.scroller.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      setZoom(state.zoom - Math.sign(event.deltaY));
    }, { passive: false });
    new ResizeObserver(() => { this.measure(); this.later(); }).observe(this.scroller);
  }
  /** Chooses the rows: the items that pass the filters. The chosen item always does. */
  filter() {
    const { schedule } = this, rows = [];
    for (let item = 0; item < schedule.count; item++) {
      const passes = (state.all || schedule.isShown(item)) && (!state.only || schedule.found[item] === 1);
      if (passes || item === this.chosen) rows.push(item);
    }
    this.rows = Int32Array.from(rows);
    this.measure();
    this.reveal();
  }
  measure() {
    const { schedule, scroller, space } = this;
    this.rowHeight = Math.min(ZOOMS[state.zoom], HEIGHT_MAX / Math.max(1, this.rows ? this.rows.length : 1));
    const room = scroller.clientWidth - GUTTER - 8;
    const lanes = Math.max(1, schedule.lanes.length);
    this.laneWidth = Math.min(420, Math.max(LANE_MIN, room / lanes));
    space.style.height = HEAD + (this.rows ? this.rows.length : 0) * this.rowHeight + 8 + "px";
    space.style.width = Math.max(scroller.clientWidth, GUTTER + lanes * this.laneWidth + 8) + "px";
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = scroller.clientWidth * scale;
    this.canvas.height = scroller.clientHeight * scale;
    this.canvas.style.width = scroller.clientWidth + "px";
    this.canvas.style.height = scroller.clientHeight + "px";
  }
  /** The first row whose item is not before this one. */
  rowOf(item) {
    let low = 0, high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle] < item) low = middle + 1; else high = middle;
    }
    return low;
  }
  reveal() {
    const top = this.rowOf(this.chosen) * this.rowHeight, { scroller } = this;
    const height = scroller.clientHeight - HEAD, margin = Math.min(80, height / 4);
    if (top < scroller.scrollTop + margin) scroller.scrollTop = top - margin;
    else if (top + this.rowHeight > scroller.scrollTop + height - margin) {
      scroller.scrollTop = top + this.rowHeight - height + margin;
    }
    const left = this.lane(this.schedule.taskOf(this.chosen)) * this.laneWidth;
    const width = scroller.clientWidth - GUTTER;
    if (left < scroller.scrollLeft) scroller.scrollLeft = left;
    else if (left + this.laneWidth > scroller.scrollLeft + width) {
      scroller.scrollLeft = left + this.laneWidth - width;
    }
    this.later();
  }
  later() {
    if (this.isAwaited) return;
    this.isAwaited = true;
    requestAnimationFrame(() => { this.isAwaited = false; this.draw(); });
  }
  click(event) {
    const row = Math.floor((event.offsetY - HEAD + this.scroller.scrollTop) / this.rowHeight);
    state.active = views.indexOf(this);
    if (event.offsetY >= HEAD && row < this.rows.length) choose(this, this.rows[row]);
  }
  lane(task) { return task < 0 ? 0 : this.schedule.laneOf[task]; }
  x(task) { return GUTTER + this.lane(task) * this.laneWidth - this.scroller.scrollLeft; }
  y(item) { return HEAD + this.rowOf(item) * this.rowHeight - this.scroller.scrollTop; }
  draw() {
    const context = this.canvas.getContext("2d"), scale = window.devicePixelRatio || 1;
    const width = this.scroller.clientWidth, height = this.scroller.clientHeight;
    const top = this.scroller.scrollTop, first = Math.max(0, Math.floor(top / this.rowHeight) - 1);
    const last = Math.min(this.rows.length, Math.ceil((top + height) / this.rowHeight) + 1);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let row = first; row < last; row++) this.drawRow(context, row, width);
    this.drawArrows(context);
    this.drawHeads(context, width, height);
  }
  drawRow(context, row, width) {
    const { schedule, rowHeight, laneWidth } = this, item = this.rows[row];
    const y = HEAD + row * rowHeight - this.scroller.scrollTop, task = schedule.taskOf(item);
    const gap = rowHeight > 6 ? 1 : 0, isWide = rowHeight >= 12;
    if (schedule.found[item]) {
      context.fillStyle = colours.found;
      context.fillRect(0, y, width, rowHeight);
    }
    for (const other of schedule.lanes) {
      const x = this.x(other);
      if (x > width || x + laneWidth < GUTTER) continue;
      if (schedule.heldAt(other, item).length > 0) {
        context.fillStyle = colours.lock;
        context.fillRect(x, y, 3, rowHeight);
      }
    }
    if (schedule.isSwitch(item) && row > 0 && rowHeight >= 3) {
      const from = this.x(schedule.taskOf(this.rows[row - 1])) + laneWidth / 2;
      context.strokeStyle = schedule.isPreemption(item) ? colours.failed : colours.line;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(from, y);
      context.lineTo(this.x(task) + laneWidth / 2, y);
      context.stroke();
    }
    const x = this.x(task) + 5, boxWidth = task < 0 ? width - x : laneWidth - 9;
    const isEnding = !schedule.isStep(item);
    context.fillStyle = isEnding ? colours.failedBox(schedule.failed) : colours.box(task);
    context.fillRect(x, y + gap, boxWidth, Math.max(1, rowHeight - 2 * gap));
    if (item === this.chosen) {
      context.strokeStyle = colours.chosen;
      context.lineWidth = 2;
      context.strokeRect(x, y + gap, boxWidth, Math.max(2, rowHeight - 2 * gap));
    }
    if (!isWide) return;
    context.save();
    context.beginPath();
    context.rect(x, y, boxWidth, rowHeight);
    context.clip();
    context.fillStyle = isEnding ? colours.failed : colours.ink(task);
    context.fillText(schedule.label(item), x + 5, y + rowHeight / 2);
    context.restore();
    const before = row === 0 ? -1 : this.rows[row - 1], hidden = item - before - 1;
    context.fillStyle = colours.ground;
    context.fillRect(0, y + 1, GUTTER - 2, rowHeight - 1);
    context.fillStyle = colours.faint;
    const number = isEnding ? "end" : item + (item === schedule.critical ? " !" : "");
    context.fillText((hidden > 0 ? "… " : "") + number, 8, y + rowHeight / 2);
  }
  drawArrows(context) {
    const { schedule, chosen, rowHeight, laneWidth } = this;
    const arrow = (from, to, colour) => {
      const x0 = this.x(schedule.task[from]) + laneWidth / 2, x1 = this.x(schedule.task[to]) + laneWidth / 2;
      const y0 = this.y(from) + rowHeight * 0.75, y1 = this.y(to) + rowHeight * 0.25;
      const bend = Math.min(60, Math.abs(y1 - y0) / 2 + 8);
      context.strokeStyle = context.fillStyle = colour;
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
      context.stroke();
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x1 - 4, y1 - 7);
      context.lineTo(x1 + 4, y1 - 7);
      context.fill();
    };
    for (const [from, to] of schedule.orderings) arrow(from, to, colours.failed);
    if (!schedule.isStep(chosen)) return;
    for (const index of schedule.into.of(chosen)) arrow(schedule.from[index], chosen, colours.after);
    const outOf = schedule.outOf.of(chosen).subarray(0, 500);
    for (const index of outOf) arrow(chosen, schedule.to[index], colours.before);
  }
  drawHeads(context, width, height) {
    context.fillStyle = colours.panel;
    context.fillRect(0, 0, width, HEAD);
    this.schedule.lanes.forEach((task) => {
      const x = this.x(task);
      if (x > width || x + this.laneWidth < GUTTER) return;
      context.strokeStyle = colours.line;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x + 0.5, 0);
      context.lineTo(x + 0.5, height);
      context.stroke();
      context.save();
      context.beginPath();
      context.rect(Math.max(x, GUTTER), 0, this.laneWidth - 4, HEAD);
      context.clip();
      context.fillStyle = colours.ink(task);
      context.font = "600 12px system-ui, sans-serif";
      context.fillText(this.schedule.tasks[task], x + 10, HEAD / 2);
      context.restore();
    });
  }
}

/** Colours of the style sheet, for the canvas. */
const colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ground", "panel", "line", "text", "faint", "chosen", "after", "before", "lock",
    "found", "failed", "passed"]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
  const [box, ink] = ["--box", "--ink"].map((name) => style.getPropertyValue(name).trim());
  const hue = (task) => (Math.max(0, task) * 137.5 + 210) % 360;
  colours.box = (task) => `hsl(${hue(task)} 60% ${box})`;
  colours.ink = (task) => `hsl(${hue(task)} 65% ${ink})`;
  colours.failedBox = (failed) => `hsl(${failed ? 4 : 166} 70% ${box})`;
}

const state = { zoom: 7, all: false, only: false, active: 0 };
const schedules = JSON.parse(byId("data").textContent).map((data) => new Schedule(data));
const views = schedules.map((schedule) => new View(schedule, schedules.length > 1));

/** Chooses an item, and in a schedule beside it the same operation of the same task. */
function choose(view, item) {
  for (const other of views) {
    if (other === view) {
      other.chosen = item;
    } else if (view.schedule.isStep(item)) {
      const task = view.schedule.task[item];
      const steps = task < other.schedule.tasks.length ? other.schedule.ofTask.of(task) : [];
      const twin = steps[view.schedule.ordinal[item]];
      if (twin !== undefined) other.chosen = twin;
    }
    const row = other.rowOf(other.chosen);
    if (other.rows[row] !== other.chosen) other.filter(); else other.reveal();
  }
  tell();
}

/** Goes on from the chosen row in a direction to the first one that will do. */
function go(view, direction, will) {
  const { rows } = view;
  for (let row = view.rowOf(view.chosen) + direction; row >= 0 && row < rows.length; row += direction) {
    if (!will || will(rows[row])) return choose(view, rows[row]);
  }
}

/** Says what the chosen step is, beside its source. */
function tell() {
  const view = views[state.active], { schedule, chosen } = view, panel = byId("step");
  views.forEach((other) => other.box.classList.toggle("active", other === view));
  panel.replaceChildren();
  const list = element("dl"), task = schedule.taskOf(chosen), site = schedule.siteOf(chosen);
  const row = (name, content) => {
    const cell = element("dd");
    cell.append(content);
    list.append(element("dt", "", name), cell);
  };
  panel.append(element("h2", "", schedule.label(chosen)));
  row("step", schedule.isStep(chosen) ? `${chosen} of ${schedule.stepCount}` : "end");
  if (task >= 0) row("task", schedule.tasks[task]);
  if (site >= 0) row("place", schedule.files[schedule.sites[site][0]].path + ":" + schedule.sites[site][1]);
  if (chosen === schedule.critical) row("critical", "from here on everything that was tried fails");
  if (schedule.isPreemption(chosen)) row("switch", "the task before could have gone on");
  schedule.tasks.forEach((name, other) => {
    const held = schedule.heldAt(other, chosen);
    if (held.length > 0) row("holds", name + ": " + held.join(", "));
  });
  if (schedule.isStep(chosen)) {
    const before = schedule.orderings.filter(([, to]) => to === chosen).map(([from]) => from);
    const after = schedule.orderings.filter(([from]) => from === chosen).map(([, to]) => to);
    steps(row, view, "fails since after", before);
    steps(row, view, "fails since before", after);
    links(row, view, "comes after", schedule.into.of(chosen), schedule.from);
    links(row, view, "comes before", schedule.outOf.of(chosen), schedule.to);
  }
  panel.append(list);
  tellSource(schedule, site);
  // Some browsers refuse when it is done often; the page does not depend on it.
  try { history.replaceState(null, "", "#" + chosen); } catch { /* the address stays as it was */ }
}

function links(row, view, name, arrows, ends) {
  steps(row, view, name, Array.from(arrows, (index) => ends[index]));
}

/** Steps to go to. */
function steps(row, view, name, found) {
  const { schedule } = view, content = document.createDocumentFragment();
  for (const end of found.slice(0, LINKS_MAX)) {
    const link = element("button", "", `${end} ${schedule.tasks[schedule.task[end]]}: ${schedule.label(end)}`);
    link.addEventListener("click", () => choose(view, end));
    content.append(link);
  }
  if (found.length > LINKS_MAX) content.append(`and ${found.length - LINKS_MAX} more`);
  if (found.length > 0) row(name, content);
}

function tellSource(schedule, site) {
  const panel = byId("source");
  panel.replaceChildren();
  if (site < 0) return panel.append(element("h2", "faint", "no place is known"));
  const [file, line] = schedule.sites[site], { path, pieces } = schedule.files[file];
  panel.append(element("h2", "", path + ":" + line));
  const piece = pieces.find(([first, lines]) => line >= first && line < first + lines.length);
  if (!piece) return panel.append(element("h2", "faint", "the source was not found when the page was made"));
  const [first, lines] = piece, text = element("pre");
  const start = Math.max(first, line - LINES_AROUND), end = Math.min(first + lines.length, line + LINES_AROUND);
  for (let number = start; number < end; number++) {
    const shown = element("div", number === line ? "line at" : "line");
    shown.append(element("i", "", String(number).padStart(5) + "  "), lines[number - first]);
    text.append(shown);
  }
  panel.append(text);
  const at = text.querySelector(".at");
  panel.scrollTop = at.offsetTop - panel.offsetTop - panel.clientHeight / 3;
}

function setZoom(zoom) {
  state.zoom = Math.min(ZOOMS.length - 1, Math.max(0, zoom));
  views.forEach((view) => { view.measure(); view.reveal(); });
}

function filterAll() {
  byId("all").checked = state.all;
  byId("only").checked = state.only;
  views.forEach((view) => view.filter());
}

function search() {
  const query = byId("search").value;
  const counts = schedules.map((schedule) => schedule.search(query));
  byId("count").textContent = query === "" ? "" : counts.join(" | ") + " found";
  filterAll();
}

const KEYS = {
  ArrowDown: (view) => go(view, 1), j: (view) => go(view, 1),
  ArrowUp: (view) => go(view, -1), k: (view) => go(view, -1),
  ArrowRight: (view) => go(view, 1, sameTask(view)), ArrowLeft: (view) => go(view, -1, sameTask(view)),
  "]": (view) => go(view, 1, (item) => view.schedule.isSwitch(item)),
  "[": (view) => go(view, -1, (item) => view.schedule.isSwitch(item)),
  n: (view) => go(view, 1, (item) => view.schedule.found[item] === 1),
  N: (view) => go(view, -1, (item) => view.schedule.found[item] === 1),
  Home: (view) => choose(view, view.rows[0]), End: (view) => choose(view, view.rows[view.rows.length - 1]),
  PageDown: (view) => leap(view, 1), PageUp: (view) => leap(view, -1),
  a: () => { state.all = !state.all; filterAll(); },
  "+": () => setZoom(state.zoom + 1), "=": () => setZoom(state.zoom + 1), "-": () => setZoom(state.zoom - 1),
  "/": () => { byId("search").focus(); byId("search").select(); },
  c: (view) => { if (view.schedule.critical >= 0) choose(view, view.schedule.critical); },
  b: () => { state.active = (state.active + 1) % views.length; tell(); },
};
const sameTask = (view) => (item) => view.schedule.taskOf(item) === view.schedule.taskOf(view.chosen);

function leap(view, direction) {
  const rows = Math.max(1, Math.floor((view.scroller.clientHeight - HEAD) / view.rowHeight) - 2);
  const row = view.rowOf(view.chosen) + direction * rows;
  choose(view, view.rows[Math.min(view.rows.length - 1, Math.max(0, row))]);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isSearch = event.target === byId("search");
  if (isSearch && event.key === "Enter") KEYS[event.shiftKey ? "N" : "n"](views[state.active]);
  else if (isSearch && event.key === "Escape") event.target.blur();
  if (isSearch || event.target.tagName === "BUTTON" && event.key === "Enter") return;
  const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
  if (!act) return;
  event.preventDefault();
  act(views[state.active]);
});
let searchTimer = 0;
byId("search").addEventListener("input", () => { clearTimeout(searchTimer); searchTimer = setTimeout(search, 120); });
byId("all").addEventListener("change", (event) => { state.all = event.target.checked; filterAll(); });
byId("only").addEventListener("change", (event) => { state.only = event.target.checked; filterAll(); });
byId("smaller").addEventListener("click", () => setZoom(state.zoom - 1));
byId("larger").addEventListener("click", () => setZoom(state.zoom + 1));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  readColours();
  views.forEach((view) => view.later());
});

function begin() {
  const { program, outcome, why, origin, failed } = schedules[0];
  byId("head").append(element("h1", "", program), element("p", failed ? "failed" : "passed", outcome));
  if (failed) byId("head").append(element("p", "", why));
  byId("head").append(element("p", "faint", origin));
  readColours();
  byId("views").append(...views.map((view) => view.box));
  const wanted = Number.parseInt(location.hash.slice(1), 10);
  if (wanted >= 0 && wanted < views[0].schedule.count) views[0].chosen = wanted;
  filterAll();
  tell();
}
begin();
