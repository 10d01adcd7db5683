// The parts of Chart.js that the app uses, from Debian's libjs-chart.js.

import {
  BarController, BarElement, CategoryScale, Chart, Legend, LineController, LineElement, LinearScale, PointElement, Tooltip,
} from "/usr/share/javascript/chart.js/chart.mjs";

Chart.register(
  BarController, BarElement, CategoryScale, Legend, LineController, LineElement, LinearScale, PointElement, Tooltip);

export { Chart };
