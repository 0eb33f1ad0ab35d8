// Maps as bytes from the API, and as weights. A tile has 512 cells along a side.
import { askBytes } from "./common.js";

export const TILE = 512;
const STEPS = 65535;
const KEPT = 48; // tiles of one map

export async function fetchMaps(path, body, signal) {
  const bytes = await askBytes(path, body, signal);
  const [maps, rows, columns] = new Uint32Array(bytes.slice(4, 16));
  const codes = new Uint16Array(bytes, 16);
  return { maps, rows, columns, weights: Float32Array.from(codes, (code) => (code / STEPS) ** 2) };
}

// One map: its tiles are asked for when they are first needed, and the oldest are forgotten.
export class MapSource {
  constructor(asked, arrived) {
    this.asked = asked;
    this.arrived = arrived;
    this.tiles = new Map();
  }

  // The tile if it is there; else it is asked for, and `arrived` is called later.
  tile(square, row, column) {
    const key = `${square} ${row} ${column}`;
    const found = this.tiles.get(key);
    if (found) {
      this.tiles.delete(key);
      this.tiles.set(key, found);
      return found.weights ? found : null;
    }
    if (this.tiles.size >= KEPT) this.tiles.delete(this.tiles.keys().next().value);
    const made = { drawn: null, look: "" };
    this.tiles.set(key, made);
    this.load(square, row, column).then((loaded) => { Object.assign(made, loaded); this.arrived(null); })
      .catch((error) => { this.tiles.delete(key); this.arrived(error); });
    return null;
  }

  load(square, row, column) {
    return fetchMaps("/api/attention/tile", { ...this.asked, square, row, column });
  }

  weight(query, key) {
    const row = Math.floor(query / TILE);
    const column = Math.floor(key / TILE);
    const found = this.tiles.get(`1 ${row} ${column}`);
    return found?.weights ? found.weights[(query - row * TILE) * found.columns + key - column * TILE] : null;
  }

  // Where a query looks and who looks at a key: two arrays over all tokens.
  async token(query, key, length, signal) {
    const whole = length <= TILE ? this.tiles.get("1 0 0") : null;
    if (whole?.weights) {
      const { columns, weights } = whole;
      return [weights.subarray(query * columns, (query + 1) * columns), Float32Array.from({ length }, (_, at) => weights[at * columns + key])];
    }
    const { words, layer, head, run, step, text } = this.asked;
    const found = await fetchMaps("/api/attention/token", { words, layer, head, run, step, text, query, key }, signal);
    return [found.weights.subarray(0, length), found.weights.subarray(length)];
  }
}

// What one map has more than another of as many tokens.
export class Difference extends MapSource {
  constructor(one, two, arrived) {
    super(null, arrived);
    this.both = [one, two];
  }

  async load(...where) {
    const [one, two] = await Promise.all(this.both.map((source) => source.load(...where)));
    return { ...one, weights: one.weights.map((weight, at) => weight - two.weights[at]) };
  }

  async token(...where) {
    const [one, two] = await Promise.all(this.both.map((source) => source.token(...where)));
    return one.map((weights, which) => weights.map((weight, at) => weight - two[which][at]));
  }
}
