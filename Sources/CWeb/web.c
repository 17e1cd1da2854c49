#include "CWeb.h"

static const unsigned char index_html[] = {
#embed "../../Web/index.html"
};
static const unsigned char worker_js[] = {
#embed "../../Web/worker.js"
};
static const unsigned char style_css[] = {
#embed "../../Web/style.css"
};
static const unsigned char icon_svg[] = {
#embed "../../Web/icon.svg"
};
static const unsigned char manifest_webmanifest[] = {
#embed "../../Web/manifest.webmanifest"
};
static const unsigned char main_js[] = {
#embed "../../Web/main.js"
};
static const unsigned char cube_js[] = {
#embed "../../Web/cube.js"
};
static const unsigned char engine_js[] = {
#embed "../../Web/engine.js"
};
static const unsigned char first_js[] = {
#embed "../../Web/first.js"
};
static const unsigned char hands_js[] = {
#embed "../../Web/hands.js"
};
static const unsigned char keep_js[] = {
#embed "../../Web/keep.js"
};
static const unsigned char panel_js[] = {
#embed "../../Web/panel.js"
};
static const unsigned char update_js[] = {
#embed "../../Web/update.js"
};
static const unsigned char words_js[] = {
#embed "../../Web/words.js"
};
static const unsigned char card_png[] = {
#embed "../../Web/card.png"
};
static const unsigned char trailer_js[] = {
#embed "../../Web/trailer.js"
};
static const unsigned char keys_js[] = {
#embed "../../Web/keys.js"
};
static const unsigned char player_js[] = {
#embed "../../Web/player.js"
};
static const unsigned char service_js[] = {
#embed "../../Web/service.js"
};
static const unsigned char service_module_js[] = {
#embed "../../Web/service-module.js"
};
static const unsigned char people_js[] = {
#embed "../../Web/people.js"
};
static const unsigned char menus_js[] = {
#embed "../../Web/menus.js"
};
static const unsigned char notices_js[] = {
#embed "../../Web/notices.js"
};
static const unsigned char push_js[] = {
#embed "../../Web/push.js"
};
static const unsigned char parts_js[] = {
#embed "../../Web/parts.js"
};
static const unsigned char records_js[] = {
#embed "../../Web/records.js"
};
static const unsigned char devices_js[] = {
#embed "../../Web/devices.js"
};
static const unsigned char qrcode_js[] = {
#embed "../../Web/qrcode.js"
};
static const unsigned char people_css[] = {
#embed "../../Web/people.css"
};
static const unsigned char player_wasm[] = {
#embed "../../Web/player.wasm"
};
static const unsigned char cubist_wasm[] = {
#embed "../../Web/cubist.wasm"
};

#define script "text/javascript; charset=utf-8"

static const struct cubist_web_file files[] = {
    {"index.html", "text/html; charset=utf-8", index_html, sizeof index_html},
    {"worker.js", script, worker_js, sizeof worker_js},
    {"style.css", "text/css; charset=utf-8", style_css, sizeof style_css},
    {"icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
    {"manifest.webmanifest", "application/manifest+json", manifest_webmanifest, sizeof manifest_webmanifest},
    {"main.js", script, main_js, sizeof main_js},
    {"cube.js", script, cube_js, sizeof cube_js},
    {"engine.js", script, engine_js, sizeof engine_js},
    {"first.js", script, first_js, sizeof first_js},
    {"hands.js", script, hands_js, sizeof hands_js},
    {"keep.js", script, keep_js, sizeof keep_js},
    {"panel.js", script, panel_js, sizeof panel_js},
    {"update.js", script, update_js, sizeof update_js},
    {"words.js", script, words_js, sizeof words_js},
    {"trailer.js", script, trailer_js, sizeof trailer_js},
    {"cubist.wasm", "application/wasm", cubist_wasm, sizeof cubist_wasm},
    {"card.png", "image/png", card_png, sizeof card_png},
    {"keys.js", script, keys_js, sizeof keys_js},
    {"service.js", script, service_js, sizeof service_js},
    {"service-module.js", script, service_module_js, sizeof service_module_js},
    {"player.js", script, player_js, sizeof player_js},
    {"people.css", "text/css; charset=utf-8", people_css, sizeof people_css},
    {"people.js", script, people_js, sizeof people_js},
    {"menus.js", script, menus_js, sizeof menus_js},
    {"notices.js", script, notices_js, sizeof notices_js},
    {"push.js", script, push_js, sizeof push_js},
    {"parts.js", script, parts_js, sizeof parts_js},
    {"records.js", script, records_js, sizeof records_js},
    {"devices.js", script, devices_js, sizeof devices_js},
    {"qrcode.js", script, qrcode_js, sizeof qrcode_js},
    {"player.wasm", "application/wasm", player_wasm, sizeof player_wasm},
};
/// The last ones: the picture of cards, and what only a player at a service loads.
enum { service_files_count = 15 };

const struct cubist_web_file *const cubist_web_files = files;
const size_t cubist_web_files_count = sizeof files / sizeof files[0];
const size_t cubist_web_game_files_count = sizeof files / sizeof files[0] - service_files_count;
