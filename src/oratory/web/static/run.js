// The page of one run: how far it is, its curves as they grow, and the baselines beside it.
import { ask, byId, fail, isDark, listen, onLook, say, table } from "./common.js";

const place = byId("run");
const { run, status, job } = place.dataset;

if (status === "finished") beside();
else follow();

async function beside() {
  const section = byId("baselines");
  try {
    const found = await ask(`/api/runs/${run}/baselines`);
    section.append(...found.tables.map(table));
    for (const sentence of found.warnings) say(sentence, true);
    byId("measuring").remove();
  } catch (error) {
    byId("measuring").textContent = `The baselines are not shown. ${error.message}`;
  }
}

function follow() {
  let drawn = -1;
  const draw = () => {
    const dark = isDark();
    for (const [at, id] of ["curves", "losses"].entries()) {
      const image = byId(id);
      image.onload = () => { image.hidden = false; };
      image.src = `/api/runs/${run}/curves.svg?at=${at}&dark=${dark}&step=${drawn}`;
    }
  };
  let before = status;
  listen(`/api/runs/${run}/events`, {
    progress(now) {
      byId("step").textContent = now.step.toLocaleString("en");
      byId("progress").value = now.share;
      byId("loss").textContent = now.loss === null ? "" : `, loss ${now.loss.toFixed(3)}`;
      byId("status").textContent = now.status;
      if (now.step !== drawn) {
        drawn = now.step;
        draw();
      }
      if (now.status !== before) location.reload();
      before = now.status;
    },
  });
  onLook(draw);
  byId("resume")?.addEventListener("click", (event) => act(event.target, `/api/runs/${run}/resume`, "It continues in a moment."));
  byId("stop")?.addEventListener("click", (event) => act(event.target, `/api/jobs/${job}/stop`, "It is being saved."));
}

async function act(button, path, sentence) {
  button.disabled = true;
  try {
    await ask(path, { method: "POST" });
    say(sentence);
  } catch (error) {
    fail(error);
    button.disabled = false;
  }
}
