// What is at work as cards that stay where they are while they change, so that nobody loses the focus.
import { make } from "./common.js";

export class Cards {
  constructor(place) {
    this.place = place;
    this.made = new Map();
  }

  // The card of an id, made once.
  of(id, title) {
    if (!this.made.has(id)) {
      this.made.set(id, make("section", { class: "card", id, "aria-label": title },
        make("h3", {}, title, " ", make("span", { class: "status" })),
        make("progress", { max: 1, value: 0, "aria-label": "Share that is done" }),
        make("p", { class: "said" }), make("p", { class: "links" }), make("p", { class: "tools" })));
    }
    return this.made.get(id);
  }

  // One run on its way.
  ofRun(run) {
    const card = this.of(run.run, run.run);
    card.querySelector(".status").textContent = run.status;
    card.querySelector("progress").value = run.share;
    card.querySelector(".said").textContent = updates(run);
    const links = card.querySelector(".links");
    if (!links.children.length) links.append(make("a", { href: `/runs/${run.run}` }, "Its curves"));
    return card;
  }

  // Show these cards, in this order, and no others. Returns how many are gone.
  show(wanted) {
    const gone = [...this.made].filter(([, card]) => !wanted.includes(card));
    for (const [id, card] of gone) {
      card.remove();
      this.made.delete(id);
    }
    wanted.forEach((card, at) => {
      if (this.place.children[at] !== card) this.place.insertBefore(card, this.place.children[at] ?? null);
    });
    return gone.length;
  }
}

// How far a run is, in words.
export function updates({ step, steps }) {
  return steps ? `${step.toLocaleString("en")} of ${steps.toLocaleString("en")} updates` : "";
}
