"use strict";
// Draws the maps whose data are in this page. Nothing is fetched; text is only ever set as text.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const length = data.tokens.length;
  const side = Math.ceil(length / data.size); // cells of a map along one side
  const steps = 2 ** data.bits - 1;
  const byId = (id) => document.getElementById(id);
  const grid = byId("grid");
  const panes = byId("panes");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const state = { map: 0, stages: data.stages.map((_, at) => at), left: 0, top: 0, span: length, cursor: null, lines: false };
  const cache = new Map();
  let drawn = [];
  let waiting = false;

  async function unpack(text, bits) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const buffer = await new Response(stream).arrayBuffer();
    return bits === 16 ? new Uint16Array(buffer) : new Uint8Array(buffer);
  }

  function weightsOf(stage, map) {
    const key = `${stage} ${map}`;
    if (!cache.has(key)) {
      if (cache.size > 8) cache.delete(cache.keys().next().value); // The maps of a long text are large.
      const found = data.stages[stage].maps[map];
      const mean = found.mean ? unpack(found.mean, data.bits) : null;
      cache.set(key, Promise.all([unpack(found.largest, data.bits), mean]).then(([largest, means]) => ({ largest, mean: means || largest })));
    }
    return cache.get(key);
  }

  function colours() {
    return data.ramp[dark.matches ? "dark" : "light"].map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  }

  function ink(name) {
    const probe = document.createElement("span");
    document.body.append(probe);
    probe.style.color = `var(${name})`;
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  // The weight at which the colour scale ends.
  function endOf(map) {
    return byId("scale").value === "own" ? map.most || 1 : data.end;
  }

  // The grid of small maps.
  async function thumbs() {
    const palette = colours();
    const stage = state.stages[state.stages.length - 1];
    await Promise.all(data.stages[stage].maps.map(async (map, at) => {
      const cells = await unpack(map.thumb, 8);
      const size = Math.round(Math.sqrt(cells.length));
      const canvas = grid.children[at].querySelector("canvas");
      canvas.width = canvas.height = size;
      const context = canvas.getContext("2d");
      const image = context.createImageData(size, size);
      const end = endOf(map);
      cells.forEach((cell, place) => paint(image.data, place, palette, (cell / 255) ** 2 / end));
      context.putImageData(image, 0, 0);
    }));
  }

  function paint(pixels, place, palette, share) {
    const colour = palette[Math.min(255, Math.round(255 * share))];
    pixels[4 * place] = colour[0];
    pixels[4 * place + 1] = colour[1];
    pixels[4 * place + 2] = colour[2];
    pixels[4 * place + 3] = 255;
  }

  function buildGrid() {
    const names = data.stages[0].maps.map((map) => map.name);
    const heads = new Set(names.map((name) => name.match(/head (\d+)/)?.[1]).filter(Boolean)).size;
    const columns = Math.max(1, heads + (names.some((name) => name.endsWith("mean")) ? 1 : 0));
    grid.style.gridTemplateColumns = `repeat(${columns}, max-content)`;
    const layers = [...new Set(names.map((name) => name.match(/layer (\d+)/)?.[1]).filter(Boolean))];
    names.forEach((name, at) => {
      const button = document.createElement("button");
      button.type = "button";
      const label = document.createElement("span");
      label.textContent = name;
      button.append(document.createElement("canvas"), label);
      button.addEventListener("click", () => choose(at));
      button.addEventListener("keydown", (event) => {
        const order = [...grid.children].sort((a, b) => a.dataset.order - b.dataset.order);
        const here = order.indexOf(button);
        const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
        if (!move) return;
        event.preventDefault();
        order[here + move]?.focus();
      });
      const layer = layers.indexOf(name.match(/layer (\d+)/)?.[1]);
      const head = name.endsWith("mean") ? columns - 1 : names.slice(0, at).filter((other) => other.startsWith(`layer ${layers[layer]} head`)).length;
      button.dataset.order = name === "rollout" ? 1e9 : layer * columns + head;
      button.style.order = button.dataset.order;
      grid.append(button);
    });
  }

  function buildStages() {
    if (data.stages.length < 2) return;
    const choices = { "side by side": [0, 1], before: [0], after: [1] };
    for (const [name, stages] of Object.entries(choices)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.setAttribute("aria-pressed", name === "side by side");
      button.addEventListener("click", () => {
        for (const other of byId("stages").children) other.setAttribute("aria-pressed", other === button);
        state.stages = stages;
        buildPanes();
        thumbs();
      });
      byId("stages").append(button);
    }
  }

  function choose(at) {
    state.map = at;
    [...grid.children].forEach((button, place) => button.setAttribute("aria-pressed", place === at));
    byId("h-map").textContent = data.stages[0].maps[at].name;
    buildPanes();
  }

  async function buildPanes() {
    const wanted = [state.map, ...state.stages].join();
    const found = await Promise.all(state.stages.map((stage) => weightsOf(stage, state.map)));
    if (wanted !== [state.map, ...state.stages].join()) return;
    panes.replaceChildren();
    drawn = state.stages.map((stage, at) => {
      const figure = document.createElement("figure");
      const canvas = document.createElement("canvas");
      const caption = document.createElement("figcaption");
      const map = data.stages[stage].maps[state.map];
      const name = data.stages.length > 1 ? `${data.stages[stage].name} training` : map.name;
      const legend = document.createElement("span");
      legend.className = "legend";
      caption.append(`${name}: `, legend);
      canvas.tabIndex = 0;
      canvas.setAttribute("role", "application");
      canvas.setAttribute("aria-label", `Attention map, ${map.name}, ${name}`);
      figure.append(caption, canvas);
      panes.append(figure);
      const pane = { stage, map, canvas, weights: found[at], legend, plot: null };
      listen(pane);
      return pane;
    });
    redraw();
    say();
  }

  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      drawn.forEach(draw);
    });
  }

  // The place of the map in its canvas, in CSS pixels.
  function layout(canvas) {
    const wide = canvas.clientWidth;
    const left = Math.min(112, wide * 0.22);
    const size = Math.max(80, wide - left - 6);
    return { left, top: 6, size, below: 92 };
  }

  function draw(pane) {
    if (state.lines) {
      asLines(pane);
      return;
    }
    const { canvas } = pane;
    const plot = layout(canvas);
    pane.plot = plot;
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${plot.top + plot.size + plot.below}px`;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round((plot.top + plot.size + plot.below) * ratio);
    const context = canvas.getContext("2d");
    const pixels = Math.round(plot.size * ratio);
    context.putImageData(image(pane, context, pixels), Math.round(plot.left * ratio), Math.round(plot.top * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    hatch(context, plot);
    marks(context, plot);
    context.strokeStyle = ink("--faint");
    context.strokeRect(plot.left, plot.top, plot.size, plot.size);
    const bar = document.createElement("span");
    bar.className = "bar";
    bar.style.background = `linear-gradient(to right, ${data.ramp[dark.matches ? "dark" : "light"].join()})`;
    const end = endOf(pane.map);
    pane.legend.replaceChildren("0 ", bar, ` ${end.toFixed(3)}${pane.map.most > end ? ` and more, up to ${pane.map.most.toFixed(3)}` : ""}`);
  }

  // The tokens around the cursor twice, with a line for each weight between them.
  function asLines(pane) {
    const { canvas } = pane;
    const ratio = window.devicePixelRatio || 1;
    const from = windowFrom(pane.rows?.from, state.cursor?.query ?? 0, length);
    const until = Math.min(length, from + WINDOW);
    const [each, top, wide] = [22, 26, canvas.clientWidth];
    const high = top + (until - from) * each + 4;
    canvas.style.height = `${high}px`;
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(high * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const edge = Math.min(140, wide * 0.3);
    const y = (token) => top + (token - from + 0.5) * each;
    drawLines(context, { from, until, y, left: edge, right: wide - edge, colour: ink("--mark"), alone: state.cursor?.query, weight: (query, key) => weightAt(pane, query, key) });
    context.textBaseline = "middle";
    const [plain, faint, mark] = [ink("--ink"), ink("--faint"), ink("--mark")];
    for (const [align, x, title] of [["right", edge - 7, "looks"], ["left", wide - edge + 7, "is looked at"]]) {
      context.textAlign = align;
      context.font = "13px system-ui, sans-serif";
      context.fillStyle = faint;
      context.fillText(title, x, 10);
      for (let token = from; token < until; token++) {
        const chosen = align === "right" && token === state.cursor?.query;
        context.font = `${chosen ? "700 " : ""}13px system-ui, sans-serif`;
        context.fillStyle = chosen ? mark : token >= data.real ? faint : plain;
        context.fillText(data.tokens[token], x, y(token), edge - 10);
      }
    }
    pane.rows = { from, until, top, each };
    pane.legend.textContent = until - from < length ? `tokens ${from} to ${until - 1} of ${length}, around the cursor; what is beyond has no line` : "the thicker a line, the more weight";
  }

  function drawAs(lines) {
    state.lines = lines;
    byId("as-map").setAttribute("aria-pressed", !lines);
    byId("as-lines").setAttribute("aria-pressed", lines);
    for (const id of ["in", "out", "all"]) byId(id).disabled = lines;
    redraw();
  }

  // Every pixel is the largest weight, or the mean, of the cells beneath it.
  function image(pane, context, pixels) {
    const made = context.createImageData(pixels, pixels);
    const palette = colours();
    const area = byId("area").value;
    const cells = pane.weights[area];
    const end = endOf(pane.map);
    const edges = (from) => Array.from({ length: pixels + 1 }, (_, at) => Math.min(side, Math.max(0, (from + (state.span * at) / pixels) / data.size)));
    const xs = edges(state.left);
    const ys = edges(state.top);
    for (let y = 0; y < pixels; y++) {
      const top = Math.min(side - 1, Math.floor(ys[y]));
      const bottom = Math.max(top + 1, Math.floor(ys[y + 1]));
      for (let x = 0; x < pixels; x++) {
        const left = Math.min(side - 1, Math.floor(xs[x]));
        const right = Math.max(left + 1, Math.floor(xs[x + 1]));
        let value = 0;
        for (let row = top; row < bottom; row++) {
          for (let at = row * side + left; at < row * side + right; at++) {
            if (area === "mean") value += cells[at] * cells[at];
            else if (cells[at] > value) value = cells[at];
          }
        }
        value = area === "mean" ? value / ((bottom - top) * (right - left)) : value * value;
        paint(made.data, y * pixels + x, palette, value / (steps * steps) / end);
      }
    }
    return made;
  }

  function hatch(context, plot) {
    if (data.real === length) return;
    const at = (token) => Math.max(0, Math.min(plot.size, ((token - state.left) / state.span) * plot.size));
    const down = (token) => Math.max(0, Math.min(plot.size, ((token - state.top) / state.span) * plot.size));
    const boxes = [[at(data.real), 0, plot.size, plot.size], [0, down(data.real), at(data.real), plot.size]];
    for (const [left, top, right, bottom] of boxes) {
      if (right - left <= 0 || bottom - top <= 0) continue;
      context.save();
      context.beginPath();
      context.rect(plot.left + left, plot.top + top, right - left, bottom - top);
      context.clip();
      context.fillStyle = "rgba(140, 140, 140, 0.45)";
      context.fill();
      context.strokeStyle = "rgba(110, 110, 110, 0.8)";
      context.beginPath();
      for (let x = -plot.size; x < plot.size; x += 8) {
        context.moveTo(plot.left + x, plot.top + plot.size);
        context.lineTo(plot.left + x + plot.size, plot.top);
      }
      context.stroke();
      context.restore();
    }
  }

  function marks(context, plot) {
    const each = plot.size / state.span; // The width of a token in CSS pixels
    const named = each >= 9;
    const step = named ? 1 : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((jump) => jump * each >= 44) || 2000;
    context.font = `${named ? Math.min(12, each * 0.95) : 11}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    const [plain, faint] = [ink("--ink"), ink("--faint")];
    for (let token = 0; token < length; token += step) {
      const text = named ? data.tokens[token] : String(token);
      context.fillStyle = token >= data.real ? faint : plain;
      const y = plot.top + (token + 0.5 - state.top) * each;
      if (y >= plot.top && y <= plot.top + plot.size) {
        context.textAlign = "right";
        context.fillText(text, plot.left - 5, y, plot.left - 8);
      }
      const x = plot.left + (token + 0.5 - state.left) * each;
      if (x >= plot.left && x <= plot.left + plot.size) {
        context.save();
        context.translate(x, plot.top + plot.size + 5);
        if (named) context.rotate(-Math.PI / 2);
        context.textAlign = named ? "right" : "center";
        context.fillText(text, 0, named ? 0 : 8, plot.below - 8);
        context.restore();
      }
    }
    if (!state.cursor) return;
    const [x, y] = [plot.left + (state.cursor.key - state.left) * each, plot.top + (state.cursor.query - state.top) * each];
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top, plot.size, plot.size);
    context.clip();
    context.strokeStyle = ink("--mark");
    context.lineWidth = 2;
    const box = Math.max(each, 4);
    context.strokeRect(x, y, box, box);
    context.restore();
  }

  function weightAt(pane, query, key) {
    const cell = Math.floor(query / data.size) * side + Math.floor(key / data.size);
    return (pane.weights.largest[cell] / steps) ** 2;
  }

  function named(token) {
    return `${data.tokens[token]} (${token})`;
  }

  function say() {
    if (!state.cursor || !drawn.length) return;
    const { query, key } = state.cursor;
    const values = drawn.map((pane) => `${data.stages.length > 1 ? `${data.stages[pane.stage].name} ` : ""}${weightAt(pane, query, key).toFixed(4)}`);
    byId("said").textContent = `query ${named(query)} → key ${named(key)}: ${values.join(", ")}`;
    const last = drawn[drawn.length - 1];
    const row = Array.from({ length: side }, (_, at) => [weightAt(last, query, at * data.size), at * data.size]);
    row.sort((a, b) => b[0] - a[0]);
    byId("top").replaceChildren(...row.slice(0, 8).filter(([weight]) => weight > 0).map(([weight, token]) => {
      const item = document.createElement("li");
      item.textContent = `${named(token)}: ${weight.toFixed(4)}`;
      return item;
    }));
  }

  function zoom(factor, x, y) {
    const span = Math.min(length, Math.max(Math.min(4, length), state.span * factor));
    state.left = x - ((x - state.left) * span) / state.span;
    state.top = y - ((y - state.top) * span) / state.span;
    state.span = span;
    inside();
    redraw();
  }

  function inside() {
    state.left = Math.max(0, Math.min(length - state.span, state.left));
    state.top = Math.max(0, Math.min(length - state.span, state.top));
  }

  function middle() {
    const seen = state.cursor;
    return seen ? [seen.key + 0.5, seen.query + 0.5] : [state.left + state.span / 2, state.top + state.span / 2];
  }

  function follow() {
    const { query, key } = state.cursor;
    if (key < state.left) state.left = key;
    if (key + 1 > state.left + state.span) state.left = key + 1 - state.span;
    if (query < state.top) state.top = query;
    if (query + 1 > state.top + state.span) state.top = query + 1 - state.span;
    inside();
  }

  function listen(pane) {
    const { canvas } = pane;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      const plot = pane.plot;
      const x = (event.clientX - box.left - plot.left) / plot.size;
      const y = (event.clientY - box.top - plot.top) / plot.size;
      return x < 0 || x >= 1 || y < 0 || y >= 1 ? null : [state.left + x * state.span, state.top + y * state.span];
    };
    let grabbed = null;
    canvas.addEventListener("pointerdown", (event) => {
      const at = state.lines ? null : place(event);
      if (!at) return;
      grabbed = { x: event.clientX, y: event.clientY, left: state.left, top: state.top };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (grabbed && state.span < length) {
        const each = pane.plot.size / state.span;
        state.left = grabbed.left - (event.clientX - grabbed.x) / each;
        state.top = grabbed.top - (event.clientY - grabbed.y) / each;
        inside();
        redraw();
        return;
      }
      if (state.lines) {
        const token = pane.rows.from + Math.floor((event.offsetY - pane.rows.top) / pane.rows.each);
        if (token < pane.rows.from || token >= pane.rows.until || token === state.cursor?.query) return;
        state.cursor = { key: token, query: token };
        say();
        redraw();
        return;
      }
      const at = place(event);
      if (!at) return;
      const cursor = { key: Math.min(length - 1, Math.floor(at[0])), query: Math.min(length - 1, Math.floor(at[1])) };
      if (state.cursor && cursor.key === state.cursor.key && cursor.query === state.cursor.query) return;
      state.cursor = cursor;
      say();
      if (length <= 512) redraw();
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { grabbed = null; });
    canvas.addEventListener("wheel", (event) => {
      const at = state.lines ? null : place(event);
      if (!at) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1 / 1.3 : 1.3, ...at);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (move) {
        const now = state.cursor || { key: Math.floor(state.left), query: Math.floor(state.top) };
        const held = (value) => Math.max(0, Math.min(length - 1, value));
        state.cursor = state.cursor ? { key: held(now.key + move[0]), query: held(now.query + move[1]) } : now;
        follow();
        say();
      } else if (event.key === "+" || event.key === "=") zoom(1 / 1.5, ...middle());
      else if (event.key === "-") zoom(1.5, ...middle());
      else if (event.key === "0") zoom(length, 0, 0);
      else return;
      event.preventDefault();
      redraw();
    });
  }

  byId("as-map").addEventListener("click", () => drawAs(false));
  byId("as-lines").addEventListener("click", () => drawAs(true));
  if (data.size > 1) {
    byId("as-lines").disabled = true; // A line is between two tokens, not between squares of them.
    byId("as-lines").title = "This page stores squares of tokens; a page of one layer and head has every weight";
  }
  byId("in").addEventListener("click", () => zoom(1 / 1.5, ...middle()));
  byId("out").addEventListener("click", () => zoom(1.5, ...middle()));
  byId("all").addEventListener("click", () => zoom(length, 0, 0));
  for (const id of ["scale", "area"]) byId(id).addEventListener("change", () => { redraw(); thumbs(); });
  dark.addEventListener("change", () => { redraw(); thumbs(); });
  window.addEventListener("resize", redraw);
  buildGrid();
  buildStages();
  thumbs();
  choose(0);
})();
