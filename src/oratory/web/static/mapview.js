// Maps on canvases that share a camera and a cursor: hover, zoom, drag and keys.
import { make, typeScale } from "./common.js";
import { inkOn, painted, placeOf } from "./colours.js";
import { TILE } from "./tiles.js";

const SHORTEST = 3; // tokens that are seen at the closest
const NAMED = 9; // pixels of a token from which on its name is beside it
const VALUED = 34; // pixels of a cell from which on its weight is in it

export class MapViews {
  constructor(box, { moved, changed }) {
    this.box = box;
    this.moved = moved; // The cursor is at another cell.
    this.changed = changed; // The camera has moved.
    this.panes = [];
    this.length = 1;
    this.camera = { left: 0, top: 0, span: 1 };
    this.cursor = null;
    this.frames = 0;
    this.type = 1;
    new ResizeObserver(() => this.redraw()).observe(box);
  }

  // Panes are { title, source, names, length, colours, low, high, legend }.
  show(panes) {
    this.length = Math.max(...panes.map((pane) => pane.length));
    const same = this.panes.length === panes.length;
    panes.forEach((pane, at) => {
      const old = same ? this.panes[at] : null;
      pane.canvas = old?.canvas ?? make("canvas", { tabindex: 0, role: "application", "aria-describedby": "keys" });
      pane.caption = old?.caption ?? make("figcaption");
      pane.canvas.setAttribute("aria-label", `Attention map: ${pane.title}`);
      pane.caption.replaceChildren(make("b", {}, pane.title), " ", pane.legend);
      pane.canvas.dataset.at = at;
    });
    if (!same) {
      this.box.replaceChildren(...panes.map((pane) => make("figure", {}, pane.caption, pane.canvas)));
      panes.forEach((pane) => this.listen(pane.canvas));
    }
    this.box.dataset.panes = panes.length;
    this.panes = panes;
    this.inside();
    this.redraw();
  }

  look(camera) {
    Object.assign(this.camera, camera);
    this.inside();
    this.redraw();
    this.changed();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.colours = inks(this.box);
      this.type = typeScale();
      this.panes.forEach((pane) => this.draw(pane));
      this.frames += 1;
    });
  }

  plot(pane) {
    const wide = pane.canvas.clientWidth;
    const named = (wide * 0.84) / this.camera.span >= NAMED;
    const { type } = this;
    const letters = named ? Math.min(14, Math.max(4, pane.longest ?? 8)) : 4;
    const left = Math.round(Math.min((letters * 7.4 + 10) * type, wide * 0.26));
    const size = Math.max(60, Math.floor(wide - left - 2));
    return { left, top: 2, size, below: (named ? Math.min(108, letters * 7 + 12) : 24) * type, named };
  }

  draw(pane) {
    const { canvas } = pane;
    const plot = this.plot(pane);
    const ratio = devicePixelRatio || 1;
    const high = plot.top + plot.size + plot.below;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(high * ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.style.height = `${high}px`;
      canvas.width = width;
      canvas.height = height;
    }
    canvas.style.touchAction = this.camera.span < this.length ? "none" : "pan-y";
    pane.plot = plot;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, canvas.clientWidth, high);
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top, plot.size, plot.size);
    context.clip();
    context.imageSmoothingEnabled = false;
    this.cells(context, pane, plot, ratio);
    this.values(context, pane, plot);
    this.cross(context, plot);
    context.restore();
    context.strokeStyle = this.colours.line;
    context.strokeRect(plot.left + 0.5, plot.top + 0.5, plot.size - 1, plot.size - 1);
    this.labels(context, pane, plot);
  }

  // Tiles of the level at which a cell is about a pixel or more; beneath them, the whole map from afar.
  cells(context, pane, plot, ratio) {
    const each = plot.size / this.camera.span;
    let square = 1;
    while (square * each * ratio < 0.75 && square < pane.length) square *= 2;
    let whole = square;
    while (whole * TILE < pane.length) whole *= 2;
    const levels = whole > square ? [whole, square] : [square];
    for (const level of levels) {
      const side = TILE * level;
      const last = Math.ceil(pane.length / side) - 1;
      const range = (from) => [Math.max(0, Math.floor(from / side)), Math.min(last, Math.floor((from + this.camera.span) / side))];
      const [[top, bottom], [left, right]] = [range(this.camera.top), range(this.camera.left)];
      for (let row = top; row <= bottom; row++) {
        for (let column = left; column <= right; column++) this.tile(context, pane, plot, each, level, row, column);
      }
    }
  }

  tile(context, pane, plot, each, level, row, column) {
    const found = pane.source.tile(level, row, column);
    if (!found) return;
    const look = `${pane.look} ${pane.low} ${pane.high}`;
    if (found.look !== look) {
      found.drawn = painted(found.weights, found.rows, found.columns, pane.colours, pane.low, pane.high, found.drawn ?? undefined);
      found.look = look;
    }
    const x = plot.left + (column * TILE * level - this.camera.left) * each;
    const y = plot.top + (row * TILE * level - this.camera.top) * each;
    context.drawImage(found.drawn, x, y, found.columns * level * each, found.rows * level * each);
  }

  values(context, pane, plot) {
    const each = plot.size / this.camera.span;
    if (each < VALUED) return;
    context.font = `${Math.min(15 * this.type, each * 0.3)}px ${this.colours.font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const range = (from) => [Math.max(0, Math.floor(from)), Math.min(pane.length - 1, Math.floor(from + this.camera.span))];
    const [[top, bottom], [left, right]] = [range(this.camera.top), range(this.camera.left)];
    for (let query = top; query <= bottom; query++) {
      for (let key = left; key <= right; key++) {
        const weight = pane.source.weight(query, key);
        if (!weight) continue;
        context.fillStyle = inkOn(pane.colours[placeOf(weight, pane.low, pane.high, pane.colours.length)]);
        context.fillText(shown(weight, pane.low < 0), plot.left + (key + 0.5 - this.camera.left) * each, plot.top + (query + 0.5 - this.camera.top) * each);
      }
    }
  }

  cross(context, plot) {
    if (!this.cursor) return;
    const each = plot.size / this.camera.span;
    const x = plot.left + (this.cursor.key - this.camera.left) * each;
    const y = plot.top + (this.cursor.query - this.camera.top) * each;
    const box = Math.max(each, 3);
    context.strokeStyle = this.colours.accent;
    context.globalAlpha = 0.55;
    context.lineWidth = 1;
    context.strokeRect(plot.left - 2, y, plot.size + 4, box);
    context.strokeRect(x, plot.top - 2, box, plot.size + 4);
    context.globalAlpha = 1;
    context.lineWidth = 2.5;
    context.strokeRect(x, y, box, box);
  }

  labels(context, pane, plot) {
    const each = plot.size / this.camera.span;
    const step = plot.named ? 1 : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((jump) => jump * each >= 46 * this.type) ?? 2000;
    const size = plot.named ? Math.min(13.5 * this.type, each * 0.9) : 11 * this.type;
    context.textBaseline = "middle";
    const range = (from) => [Math.ceil(Math.max(0, from - 0.5) / step) * step, Math.min(pane.length - 1, from + this.camera.span - 0.5)];
    const text = (token, chosen) => {
      context.font = `${chosen ? "700 " : ""}${size}px ${this.colours.font}`;
      context.fillStyle = chosen ? this.colours.accent : plot.named ? this.colours.ink : this.colours.faint;
      return plot.named ? cut(pane.names[token], 14) : String(token);
    };
    context.textAlign = "right";
    const [top, bottom] = range(this.camera.top);
    for (let token = top; token <= bottom; token += step) {
      context.fillText(text(token, this.cursor?.query === token), plot.left - 6, plot.top + (token + 0.5 - this.camera.top) * each, plot.left - 6);
    }
    const [left, right] = range(this.camera.left);
    for (let token = left; token <= right; token += step) {
      context.save();
      context.translate(plot.left + (token + 0.5 - this.camera.left) * each, plot.top + plot.size + 6);
      if (plot.named) context.rotate(-Math.PI / 2);
      context.textAlign = plot.named ? "right" : "center";
      context.fillText(text(token, this.cursor?.key === token), 0, plot.named ? 0 : 8, plot.below - 4);
      context.restore();
    }
  }

  zoom(factor, at = this.middle()) {
    const { left, top, span } = this.camera;
    const next = Math.min(this.length, Math.max(Math.min(SHORTEST, this.length), span * factor));
    this.look({ span: next, left: at[0] - ((at[0] - left) * next) / span, top: at[1] - ((at[1] - top) * next) / span });
  }

  middle() {
    const { left, top, span } = this.camera;
    return this.cursor ? [this.cursor.key + 0.5, this.cursor.query + 0.5] : [left + span / 2, top + span / 2];
  }

  inside() {
    const { camera, length } = this;
    camera.span = Math.min(length, Math.max(Math.min(SHORTEST, length), camera.span || length));
    camera.left = Math.max(0, Math.min(length - camera.span, camera.left));
    camera.top = Math.max(0, Math.min(length - camera.span, camera.top));
    // A link has three digits of these, and must show the same.
    for (const name of ["span", "left", "top"]) camera[name] = Math.round(camera[name] * 1000) / 1000;
  }

  point(cursor, follow = false) {
    this.cursor = cursor;
    if (follow) {
      const { camera } = this;
      for (const [name, at] of [["left", cursor.key], ["top", cursor.query]]) {
        if (at < camera[name]) camera[name] = at;
        if (at + 1 > camera[name] + camera.span) camera[name] = at + 1 - camera.span;
      }
    }
    this.redraw();
    this.moved(cursor);
  }

  listen(canvas) {
    const place = (event) => {
      const { plot, length } = this.panes[canvas.dataset.at];
      const box = canvas.getBoundingClientRect();
      const x = (event.clientX - box.left - plot.left) / plot.size;
      const y = (event.clientY - box.top - plot.top) / plot.size;
      if (x < 0 || x >= 1 || y < 0 || y >= 1) return null;
      const found = [this.camera.left + x * this.camera.span, this.camera.top + y * this.camera.span];
      return Math.max(...found) < length ? found : null;
    };
    let grabbed = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (!place(event)) return;
      grabbed = { x: event.clientX, y: event.clientY, left: this.camera.left, top: this.camera.top };
      if (this.camera.span < this.length) canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (grabbed && this.camera.span < this.length) {
        const each = this.panes[canvas.dataset.at].plot.size / this.camera.span;
        this.look({ left: grabbed.left - (event.clientX - grabbed.x) / each, top: grabbed.top - (event.clientY - grabbed.y) / each });
        return;
      }
      const at = place(event);
      if (!at) return;
      const [key, query] = at.map(Math.floor);
      if (this.cursor?.key !== key || this.cursor?.query !== query) this.point({ query, key });
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { grabbed = null; });
    canvas.addEventListener("wheel", (event) => {
      // The wheel scrolls the page until a map was clicked.
      const at = event.ctrlKey || event.metaKey || document.activeElement === canvas ? place(event) : null;
      if (!at) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1 / 1.25 : 1.25, at);
    }, { passive: false });
    canvas.addEventListener("dblclick", (event) => { const at = place(event); if (at) this.zoom(1 / 2, at); });
    canvas.addEventListener("keydown", (event) => this.pressed(event, this.panes[canvas.dataset.at].length));
  }

  pressed(event, length) {
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const held = (value) => Math.max(0, Math.min(length - 1, value));
    if (move) {
      const now = this.cursor ?? { key: Math.floor(this.camera.left) - move[0], query: Math.floor(this.camera.top) - move[1] };
      this.point({ key: held(now.key + move[0]), query: held(now.query + move[1]) }, true);
    } else if (event.key === "+" || event.key === "=") this.zoom(1 / 1.5);
    else if (event.key === "-") this.zoom(1.5);
    else if (event.key === "0") this.look({ left: 0, top: 0, span: this.length });
    else return;
    event.preventDefault();
  }
}

export function shown(weight, signed = false) {
  const digits = Math.abs(weight) < 0.1 ? 3 : 2;
  return `${signed && weight > 0 ? "+" : ""}${weight.toFixed(digits).replace("-", "−")}`;
}

export function cut(text, letters) {
  const all = [...text];
  return all.length <= letters ? text : `${all.slice(0, letters - 1).join("")}…`;
}

// The colours of the page as a canvas takes them.
export function inks(box) {
  const style = getComputedStyle(box);
  const found = (name) => style.getPropertyValue(name);
  return { ink: style.color, accent: found("border-top-color"), line: found("border-bottom-color"), faint: found("border-left-color"), font: style.fontFamily };
}
