// Notifications of this browser. The player turns them on here; the browser is asked then, and not before. Where the
// service reaches the browser, it tells of turns, with the page or without; else the page does, out of sight.

import * as push from "./push.js";
import { named } from "./words.js";

const kept = "cubist.notices";

export const isWanted = () => {
  try {
    return localStorage.getItem(kept) === "on";
  } catch {
    return false;
  }
};

/** What the browser says: `granted`, `denied`, `default`: it was not asked yet; `none`: it has no notifications. */
const permission = () => globalThis.Notification?.permission ?? "none";

/** Calls a function after each change of what is said. */
export const { onChange } = push;

/** What comes of it, in words. */
export function says() {
  if (!isWanted()) return "";
  return {
    granted: push.says(),
    denied: "The browser was told not to show any. Allow notifications for this page in its settings.",
    default: "The browser has not been allowed to show them. Turn this off and on again to be asked.",
    none: "This browser cannot show notifications. Elsewhere it may be necessary to install the page first.",
  }[permission()];
}

/** Turns them on or off. `show` draws what comes of it, again after the player has answered the browser. */
export async function turn(isOn, show) {
  try {
    localStorage.setItem(kept, isOn ? "on" : "off");
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
  show();
  if (!isOn || permission() !== "default") return;
  await Notification.requestPermission().catch(() => {});
  show();
}

/** How many turns wait for the player, and the opponent where it is one that is in sight. */
function waiting({ people, match, extra }) {
  if (match) {
    const isMine = match.stage === "mine" && !match.isShowing;
    return { count: Number(isMine) + (extra?.othersWaiting ?? 0), name: isMine ? match.opponent : "", key: extra?.key };
  }
  const rows = people?.rows.filter(({ kind }) => kind === "yourTurn") ?? [];
  const [{ name, key } = {}] = rows.length === 1 ? rows : [];
  return { count: rows.length, name: name ?? "", key };
}

let last = null;

/** Looks at each new state, and tells the player who looks elsewhere that it is the player's turn. */
export async function watch(state, send) {
  push.follow(state, send, isWanted() && permission() === "granted");
  // A menu shows no turns.
  if (!state.people?.isLoaded && !state.match) return;
  const now = waiting(state);
  const before = last;
  last = now;
  if (push.isOn() && now.count !== before?.count) navigator.setAppBadge?.(now.count).catch(() => {});
  if (!before || now.count <= before.count || document.visibilityState === "visible") return;
  if (!isWanted() || permission() !== "granted" || push.isOn()) return;
  const text = now.name ? `It is your turn against ${named(now.name)}.` : now.count === 1 ? "It is your turn." : `It is your turn in ${now.count} matches.`;
  // Several tabs show one: the tag is the same.
  const options = { body: text, tag: "cubist-turn", icon: new URL("icon.svg", import.meta.url).href, data: { match: now.key, kind: "yourTurn" } };
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => null);
  try {
    if (registration) await registration.showNotification("Cubist", options);
    else new Notification("Cubist", options);
  } catch {
    // A browser may allow them for installed pages alone.
  }
}
