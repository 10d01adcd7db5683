// Places on the live map: the way to the page of places, saving a point by a long press, and the saved place that was asked for.

import { h, toast } from "../kit/dom.js";
import { mayAnimate } from "../map/animation.js";
import { token } from "../kit/theme.js";
import { mapButton } from "../map/tools.js";
import { openSavePlace } from "../places/savedialog.js";

const placeZoom = 17;

/** `{button, setView(view), close()}`; `wanted` is the number of a saved place to show. */
export function makeMapPlaces({ app, wanted = null }) {
  const { net, router } = app;
  const button = mapButton({ id: "to-places", href: "/map/places", label: "Places", iconName: "bookmark" });
  let closed = false;

  /** A long press, or the other button of a mouse. */
  function pressed({ latlng }) {
    if (!net.account) {
      const action = { label: "Log in", run: () => router.go("/login?next=/map") };
      toast("Log in to save places.", { key: "save-place", action });
      return;
    }
    openSavePlace({ net, where: { lat: latlng.lat, lon: latlng.lng } });
  }

  async function showSaved(view) {
    let place;
    try {
      place = (await net.read("saved.list")).places.find(({ id }) => id === wanted);
    } catch (error) {
      toast(error.message);
      return;
    }
    if (closed) return;
    if (!place) {
      toast("You've removed that place.");
      return;
    }
    const style = () => (
      { radius: 11, weight: 3, color: token("--map-ring"), fillColor: token("--accent"), fillOpacity: 1, interactive: false });
    const mark = view.L.circleMarker([place.lat, place.lon], style()).addTo(view.map);
    const tooltip = { permanent: true, direction: "top", className: "end-label", offset: [0, -12] };
    mark.bindTooltip(h("span", {}, place.name), tooltip).openTooltip();
    view.whenThemeChanges(() => mark.setStyle(style()));
    view.map.setView([place.lat, place.lon], Math.max(view.map.getZoom(), placeZoom), { animate: mayAnimate() });
  }

  return {
    button,
    setView(view) {
      view.map.on("contextmenu", pressed);
      if (wanted && net.account) showSaved(view);
    },
    close() { closed = true; },
  };
}
