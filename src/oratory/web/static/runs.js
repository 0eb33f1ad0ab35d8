// The list of runs: those that are trained now, as they go on.
import { Cards } from "./cards.js";
import { byId, listen } from "./common.js";

const place = byId("running");
if (place) {
  const cards = new Cards(place.querySelector(".cards"));
  listen("/api/jobs/events", {
    jobs({ jobs, runs }) {
      const all = [...jobs.filter((job) => job.total === 1).flatMap((job) => job.runs), ...runs];
      const running = all.filter((run) => run.status === "running");
      const ended = cards.show(running.map((run) => cards.ofRun(run)));
      place.hidden = !running.length;
      if (ended) byId("ended").hidden = false;
    },
  });
}
