// The player of this browser: nobody yet, or a service's, with all that the page adds to that.

import { forgetPlayer, knownPlayer, rememberPlayer } from "./keep.js";
import { obstacle, read } from "./keys.js";
import { Service, download, players } from "./service.js";

/** The state before a name is typed. */
const nobody = { timers: [], connection: "there", account: { form: { name: "", code: "", needsCode: false, isSending: false } } };

const notLoaded = "The page could not load all that it needs. Try again.";

export class Player {
  #lend;
  #show;
  /** The service, or the promise of one that is made; null: nobody needs it yet. */
  #service = null;
  #finding = Promise.resolve();
  /** The code of a game that somebody shared, by which the page was opened. */
  #shared;
  /** The name that was typed while there was no player yet. */
  #typed = "";
  /** The reason for which nobody can take a name here, in words. */
  #noKeys = "";
  /** The name of the player whose key this browser had, and has lost; nothing where it has lost none. */
  #lost = "";

  /** `lend` gives the words; `show` takes each state, and the function that takes actions. */
  constructor(lend, show, shared) {
    [this.#lend, this.#show, this.#shared] = [lend, show, shared];
    players.onmessage = () => (this.#finding = this.#finding.then(() => this.#find()).catch(() => {}));
    let last = Date.now();
    setInterval(() => {
      const passed = Date.now() - last;
      last += passed;
      // A computer that slept has missed seconds.
      if (document.visibilityState === "visible") this.#act(passed > 5000 || passed < 0 ? "reload" : "second");
    }, 1000);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#act("reload");
    });
  }

  /** Finds the player whom this browser keeps. Gives whether there is one with a name. */
  async load() {
    this.#noKeys = await obstacle();
    const service = this.#noKeys ? null : await Service.load(this.#lend, (state) => this.#take(state), this.#shared);
    // A key that this build cannot read is none that is lost.
    if (!service && !this.#noKeys && !(await read().catch(() => true))) this.#lost = knownPlayer() ?? "";
    if (service) this.#begin(service);
    else this.#take(nobody);
    if (!service && this.#shared) await this.send("reload");
    return Boolean(service?.state.account.name);
  }

  /** Carries an action out. The first typed name, a shared game or a file makes a player. */
  send = async (action, file) => {
    if (action === "keyfile") return this.#save();
    if (action === "hasfile") return this.#confirmFile();
    if (action.startsWith("name ") && !(this.#service instanceof Service)) this.#typed = action.slice(5);
    if (action === "anew") return this.#beginAnew();
    this.#service ??= Service.create(this.#lend, (state) => this.#take(state), this.#shared, !this.#noKeys).then((service) => this.#begin(service));
    const service = await Promise.resolve(this.#service).catch(() => this.#fail(action));
    if (service && this.#typed) {
      service.act(`name ${this.#typed}`);
      this.#typed = "";
    }
    if (action === "file") service?.check(file);
    else service?.act(action);
  };

  /** No player could be made. The next action tries again. */
  #fail(action) {
    this.#service = null;
    const state = { ...nobody, account: { form: { ...nobody.account.form, name: this.#typed, trouble: notLoaded } } };
    if (action === "reload") state.absent = { failure: notLoaded };
    if (action === "file") state.record = { stage: "refused", text: notLoaded };
    this.#take(state);
  }

  #begin(service) {
    this.#service = service;
    this.#take(service.state);
    return service;
  }

  /** Forgets a player for whom this device plays no more, or whose key is lost. The next one has another key. */
  async #beginAnew() {
    if (this.#lost) {
      this.#lost = "";
      forgetPlayer();
      return this.#take(this.#service instanceof Service ? this.#service.state : nobody);
    }
    const before = this.#service;
    if (!(before instanceof Service) || !before.state.account.removed) return;
    this.#service = null;
    await before.forget();
    forgetPlayer();
    this.#take(nobody);
  }

  #act(action) {
    if (this.#service instanceof Service) this.#service.act(action);
  }

  /** Another tab has a player. It is the player of this tab, too, unless this one has a name of which the browser still keeps the key. */
  async #find() {
    if (this.#noKeys) return;
    const before = await this.#service;
    if (before?.state.account.name && !(await before.isReplaced())) return before.lookForFile();
    const service = await Service.load(this.#lend, (state) => this.#take(state));
    if (!service) return;
    before?.leave();
    this.#begin(service);
  }

  #take(state) {
    if (!state) return players.onmessage();
    const service = this.#service instanceof Service ? this.#service : null;
    const known = state.account.name ?? state.account.recovering;
    if (known) {
      this.#lost = "";
      if (knownPlayer() !== known) rememberPlayer(known);
    }
    const account = { ...state.account, noKeys: this.#noKeys, keyFile: service?.keyFile ?? "", lost: this.#lost };
    this.#show({ ...state, account }, this.send);
  }

  /** Gives the player the file of the key. */
  #save() {
    const service = this.#service instanceof Service ? this.#service : null;
    const text = service?.giveKeyText();
    if (!text) return;
    download("cubist-key.txt", text, "text/plain");
    this.#take(service.state);
  }

  #confirmFile() {
    if (!(this.#service instanceof Service)) return;
    this.#service.confirmFile();
    this.#take(this.#service.state);
  }
}

