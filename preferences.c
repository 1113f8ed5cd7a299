/* preferences.c
 * The preferences of TQ, and what they say of a connection.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "preferences.h"

#include <stdlib.h>
#include <string.h>

#include <epan/addr_resolv.h>
#include <epan/prefs.h>
#include <epan/proto.h>
#include <epan/uat.h>
#include <wsutil/inet_addr.h>
#include <wsutil/report_message.h>

#include "packet-conquer.h"

/* Patches are between the first public one and some way beyond the newest known. */
#define PATCH_MAX 9999

static preferences_t current = {.text_encoding = ENC_WINDOWS_1252};

static int backend_choice;
static const char *patch_text = "auto";
static const char *keylog_path = "";
static int encoding_choice = ENC_WINDOWS_1252;
static gboolean recover_keys = TRUE;
static gboolean show_passwords = FALSE;

static handshake_keys_t *initial_keys;
static keylog_t *keylog;

/* ---- The table of servers ---- */

typedef struct {
    char *address; /* IPv4, IPv6 or empty for any */
    unsigned port; /* 0 for any */
    unsigned server;
    char *patch;       /* "auto" or a number */
    char *p, *g;       /* seeds of the TQ cipher, hexadecimal; empty: Conquer Online's */
    char *initial_key; /* of the Blowfish or CAST5 handshake; empty: the known ones */
    /* Parsed by update_server(): */
    address parsed_address;
    uint32_t parsed_p, parsed_g;
    uint16_t parsed_patch;
} server_t;

static uat_t *servers_uat;
static server_t *servers;
static unsigned servers_count;

static const value_string server_values[] = {
    {TQ_SERVER_UNKNOWN, "by its messages"},
    {TQ_SERVER_ACCOUNT, "account"},
    {TQ_SERVER_GAME, "game"},
    {0, NULL},
};

/* Parses a whole string as a number within bounds. */
static bool parse_number(const char *text, int base, uint64_t low, uint64_t high, uint64_t *value)
{
    char *end;

    if (!text || !g_ascii_isxdigit(text[0]))
        return false;
    *value = g_ascii_strtoull(text, &end, base);
    return *end == '\0' && *value >= low && *value <= high;
}

static bool parse_patch(const char *text, uint16_t *patch)
{
    uint64_t value = 0;

    *patch = 0;
    if (!text || text[0] == '\0' || g_ascii_strcasecmp(text, "auto") == 0)
        return true;
    if (!parse_number(text, 10, PATCH_FIRST, PATCH_MAX, &value))
        return false;
    *patch = (uint16_t)value;
    return true;
}

static bool parse_seed(const char *text, uint32_t otherwise, uint32_t *seed)
{
    uint64_t value = otherwise;

    if (text && g_ascii_strncasecmp(text, "0x", 2) == 0)
        text += 2;
    /* All digits: one that was lost makes another key. */
    if (text && text[0] != '\0' &&
        (strlen(text) != 8 || !parse_number(text, 16, 0, UINT32_MAX, &value)))
        return false;
    *seed = (uint32_t)value;
    return true;
}

static bool parse_address(server_t *server)
{
    ws_in4_addr ip4;
    ws_in6_addr ip6;

    free_address(&server->parsed_address);
    if (!server->address || server->address[0] == '\0')
        return true;
    if (ws_inet_pton4(server->address, &ip4))
        alloc_address_wmem(NULL, &server->parsed_address, AT_IPv4, sizeof ip4, &ip4);
    else if (ws_inet_pton6(server->address, &ip6))
        alloc_address_wmem(NULL, &server->parsed_address, AT_IPv6, sizeof ip6, &ip6);
    else
        return false;
    return true;
}

/* A key may be given as text, or as 0x and hexadecimal bytes. */
static uint8_t *parse_key(const char *text, size_t *length)
{
    if (g_ascii_strncasecmp(text, "0x", 2) != 0) {
        *length = strlen(text);
        return (uint8_t *)g_strdup(text);
    }
    text += 2;
    *length = strlen(text) / 2;
    if (strlen(text) % 2 != 0)
        return NULL;
    uint8_t *key = g_malloc(*length + 1);
    for (size_t i = 0; i < *length; i++) {
        int high = g_ascii_xdigit_value(text[2 * i]), low = g_ascii_xdigit_value(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            g_free(key);
            return NULL;
        }
        key[i] = (uint8_t)(high << 4 | low);
    }
    return key;
}

static char *check_key(const char *text)
{
    size_t length;
    char *error = NULL;

    if (!text || text[0] == '\0')
        return NULL;
    uint8_t *key = parse_key(text, &length);
    if (!key)
        return g_strdup("0x is to be followed by pairs of hexadecimal digits");
    cfb64_t *cipher = cfb64_new(CFB64_BLOWFISH, key, length, &error);
    cfb64_unref(cipher);
    g_free(key);
    return error;
}

static ws_bool update_server(void *record, char **error)
{
    server_t *server = (server_t *)record;

    *error = NULL;
    if (!parse_address(server))
        *error = g_strdup_printf("Address: \"%s\" is no IPv4 or IPv6 address; leave it empty for "
                                 "any",
                                 server->address);
    else if (!parse_patch(server->patch, &server->parsed_patch))
        *error = g_strdup_printf("Patch: \"%s\" is neither auto nor a number from %u to %u",
                                 server->patch, PATCH_FIRST, PATCH_MAX);
    else if (!parse_seed(server->p, TQ_CONQUER_P, &server->parsed_p))
        *error = g_strdup_printf("P: \"%s\" is not of 8 hexadecimal digits", server->p);
    else if (!parse_seed(server->g, TQ_CONQUER_G, &server->parsed_g))
        *error = g_strdup_printf("G: \"%s\" is not of 8 hexadecimal digits", server->g);
    else {
        char *why = check_key(server->initial_key);
        if (why)
            *error = g_strdup_printf("Initial key: %s", why);
        g_free(why);
    }
    return *error == NULL;
}

/* Checks of single columns; Wireshark's own do not say which column is wrong. Empty is allowed. */
static ws_bool check_port(void *record _U_, const char *text, unsigned length,
                          const void *choices _U_, const void *unused _U_, char **error)
{
    char *port = g_strndup(text, length);
    uint64_t value;
    bool right = length == 0 || parse_number(port, 10, 0, 65535, &value);

    *error = right ? NULL
                   : g_strdup_printf("Port: \"%s\" is no number from 0 to 65535; 0 stands for any",
                                     port);
    g_free(port);
    return right;
}

static ws_bool check_kind(void *record _U_, const char *text, unsigned length, const void *choices,
                          const void *unused _U_, char **error)
{
    char *kind = g_strndup(text, length);
    bool right = length == 0;

    for (const value_string *choice = choices; choice->strptr; choice++)
        right = right || strcmp(choice->strptr, kind) == 0;
    *error = right
                 ? NULL
                 : g_strdup_printf("Server: \"%s\" is neither account nor game; leave it empty for "
                                   "what its messages show",
                                   kind);
    g_free(kind);
    return right;
}

static void *copy_server(void *to, const void *from, size_t size _U_)
{
    server_t *copy = (server_t *)to;
    const server_t *server = (const server_t *)from;

    *copy = *server;
    copy->address = g_strdup(server->address);
    copy->patch = g_strdup(server->patch);
    copy->p = g_strdup(server->p);
    copy->g = g_strdup(server->g);
    copy->initial_key = g_strdup(server->initial_key);
    memset(&copy->parsed_address, 0, sizeof copy->parsed_address);
    if (server->parsed_address.type != AT_NONE)
        copy_address(&copy->parsed_address, &server->parsed_address);
    return copy;
}

static void free_server(void *record)
{
    server_t *server = (server_t *)record;

    g_free(server->address);
    g_free(server->patch);
    g_free(server->p);
    g_free(server->g);
    g_free(server->initial_key);
    free_address(&server->parsed_address);
}

UAT_CSTRING_CB_DEF(server, address, server_t)
UAT_DEC_CB_DEF(server, port, server_t)
UAT_VS_DEF(server, server, server_t, unsigned, TQ_SERVER_UNKNOWN, "by its messages")
UAT_CSTRING_CB_DEF(server, patch, server_t)
UAT_CSTRING_CB_DEF(server, p, server_t)
UAT_CSTRING_CB_DEF(server, g, server_t)
UAT_CSTRING_CB_DEF(server, initial_key, server_t)

static void register_servers(module_t *module)
{
    static uat_field_t fields[] = {
        UAT_FLD_CSTRING(server, address, "Address",
                        "IPv4 or IPv6 address of the server; empty for any"),
        {"port",
         "Port",
         PT_TXTMOD_STRING,
         {check_port, server_port_set_cb, server_port_tostr_cb},
         {NULL, NULL, NULL},
         NULL,
         "TCP port of the server; 0 for any",
         FLDFILL},
        {"server",
         "Server",
         PT_TXTMOD_ENUM,
         {check_kind, server_server_set_cb, server_server_tostr_cb},
         {server_values, server_values, server_values},
         server_values,
         "Account server, game server, or whatever its messages show",
         FLDFILL},
        UAT_FLD_CSTRING(server, patch, "Patch", "auto, or the client's patch number"),
        UAT_FLD_CSTRING(server, p, "P",
                        "First seed of the TQ cipher, 8 hexadecimal digits; empty for "
                        "13FA0F9D"),
        UAT_FLD_CSTRING(server, g, "G",
                        "Second seed of the TQ cipher, 8 hexadecimal digits; empty for "
                        "6D5C7962"),
        UAT_FLD_CSTRING(server, initial_key, "Initial key",
                        "Key of the Diffie-Hellman handshake (5018 and later), as text or as 0x "
                        "and hexadecimal bytes; empty for the known ones"),
        UAT_END_FIELDS};

    servers_uat = uat_new("TQ Servers", sizeof(server_t), "tq_servers", true, (void **)&servers,
                          &servers_count, UAT_AFFECTS_DISSECTION | UAT_AFFECTS_FIELDS, NULL,
                          copy_server, update_server, free_server, NULL, NULL, fields);
    prefs_register_uat_preference(
        module, "servers", "Servers",
        "What is known of particular servers: ports, patch, and keys of their own", servers_uat);
}

/* ---- Single values ---- */

static void apply_backend(void)
{
    const char *name = backend_choice == 0 ? "auto" : tq_backend_names()[backend_choice - 1];
    enum tq_backend_status status = tq_backend_force(name);

    current.backend_missing = status != TQ_BACKEND_OK;
    if (current.backend_missing)
        tq_backend_force("auto");
    if (current.backend_missing && (!current.backend || strcmp(current.backend, name) != 0))
        report_warning("TQ: backend %s %s. %s serves instead.", name,
                       tq_backend_status_text(status), tq_backend_name());
    current.backend = name;
}

/* Tells of a wrong patch once, not each time that it is looked at. */
static void apply_patch(void)
{
    static char *told;
    bool right = parse_patch(patch_text, &current.patch);

    if (!right && g_strcmp0(told, patch_text) != 0)
        report_failure("TQ: patch \"%s\" is neither auto nor a number from %u to %u; auto is used.",
                       patch_text, PATCH_FIRST, PATCH_MAX);
    g_free(told);
    told = right ? NULL : g_strdup(patch_text);
}

static void apply(void)
{
    apply_backend();
    apply_patch();
    current.text_encoding = (unsigned)encoding_choice;
    current.show_passwords = show_passwords;
    conquer_set_options(&(struct conquer_options){.patch = current.patch,
                                                  .encoding = current.text_encoding,
                                                  .show_passwords = current.show_passwords});
}

static const enum_val_t *backend_values(void)
{
    const char *const *names = tq_backend_names();
    static enum_val_t values[16] = {{"auto", "Automatic: the fastest one", 0}};

    for (unsigned i = 0; names[i] && i + 2 < G_N_ELEMENTS(values); i++) {
        enum tq_backend_status status = tq_backend_check(names[i]);
        values[i + 1].name = names[i];
        values[i + 1].description =
            status == TQ_BACKEND_OK
                ? names[i]
                : g_strdup_printf("%s (not here: it %s)", names[i], tq_backend_status_text(status));
        values[i + 1].value = (int)(i + 1);
    }
    return values;
}

static const enum_val_t encoding_values[] = {
    {"windows-1252", "Windows-1252 (Western)", ENC_WINDOWS_1252},
    {"gb18030", "GB18030 (Chinese; includes GBK and GB2312)", ENC_GB18030},
    {"gbk", "GBK (Chinese, as GB18030)", ENC_GB18030},
    {"gb2312", "GB2312 (Chinese, as GB18030)", ENC_GB18030},
    {"utf-8", "UTF-8", ENC_UTF_8},
    {"euc-kr", "EUC-KR (Korean)", ENC_EUC_KR},
    {"windows-1250", "Windows-1250 (Central European)", ENC_WINDOWS_1250},
    {"windows-1251", "Windows-1251 (Cyrillic)", ENC_WINDOWS_1251},
    {"iso-8859-1", "ISO 8859-1", ENC_ISO_8859_1},
    {"iso-8859-9", "ISO 8859-9 (Turkish)", ENC_ISO_8859_9},
    {NULL, NULL, 0},
};

void preferences_register(int proto)
{
    module_t *module = prefs_register_protocol(proto, apply);

    prefs_register_enum_preference(
        module, "backend", "Cipher backend",
        "Implementation of the TQ cipher. Automatic takes the fastest one that the processor and "
        "the operating system support. One that is not there falls back to automatic.",
        &backend_choice, backend_values(), FALSE);
    prefs_register_string_preference(
        module, "patch", "Patch",
        "auto, or the client's patch number (4267 and later): decides which message layouts "
        "apply. Automatic goes by what each connection shows.",
        &patch_text);
    register_servers(module);
    prefs_register_filename_preference(
        module, "keylog_file", "Key log file",
        "Secrets of game connections of patch 5018 and later, one a line: TQ_SECRET, "
        "TQ_SERVER_PRIVATE or TQ_CLIENT_PRIVATE, a public key, the secret. Read again while it "
        "grows.",
        &keylog_path, FALSE);
    prefs_register_enum_preference(module, "text_encoding", "Text encoding",
                                   "Character encoding of names and chat.", &encoding_choice,
                                   encoding_values, FALSE);
    prefs_register_bool_preference(
        module, "recover_keys", "Recover keys",
        "Find counter and key of a connection whose login is not in the capture, from its "
        "ciphertext.",
        (ws_bool *)&recover_keys);
    prefs_register_bool_preference(module, "show_passwords", "Show passwords",
                                   "Decipher the passwords in login messages and show them.",
                                   (ws_bool *)&show_passwords);
}

/* ---- What they say of a connection ---- */

static void report_keylog(const char *message, void *data _U_)
{
    report_warning("TQ: %s", message);
}

void preferences_init(void)
{
    /* sharkd sets preferences without a word. */
    apply();
    initial_keys = handshake_keys_new();
    for (unsigned i = 0; i < servers_count; i++) {
        size_t length;
        if (!servers[i].initial_key || servers[i].initial_key[0] == '\0')
            continue;
        uint8_t *key = parse_key(servers[i].initial_key, &length);
        if (key)
            handshake_keys_add(initial_keys, key, length, NULL);
        g_free(key);
    }
    keylog = keylog_new(keylog_path, report_keylog, NULL);
}

void preferences_cleanup(void)
{
    handshake_keys_free(initial_keys);
    keylog_free(keylog);
    initial_keys = NULL;
    keylog = NULL;
}

const preferences_t *preferences(void)
{
    return &current;
}

static bool is_server(const server_t *server, const address *addr, uint32_t port)
{
    return (server->port == 0 || server->port == port) &&
           (server->parsed_address.type == AT_NONE ||
            addresses_equal(&server->parsed_address, addr));
}

bool preferences_is_server(const address *addr, uint32_t port)
{
    for (unsigned i = 0; i < servers_count; i++) {
        if (servers[i].port != 0 && is_server(&servers[i], addr, port))
            return true;
    }
    return false;
}

session_config_t preferences_session(const address *addr1, uint32_t port1, const address *addr2,
                                     uint32_t port2)
{
    session_config_t config = {
        .p = TQ_CONQUER_P,
        .g = TQ_CONQUER_G,
        .patch = current.patch,
        .recover = recover_keys,
        .initial_keys = initial_keys,
        .keylog = keylog,
    };

    for (unsigned i = 0; i < servers_count; i++) {
        const server_t *server = &servers[i];
        if (!is_server(server, addr1, port1) && !is_server(server, addr2, port2))
            continue;
        /* Any port would be every connection of that address. */
        config.claimed = server->port != 0;
        config.p = server->parsed_p;
        config.g = server->parsed_g;
        config.server = (tq_server_t)server->server;
        if (server->parsed_patch)
            config.patch = server->parsed_patch;
        break;
    }
    return config;
}

char *preferences_initial_keys(wmem_allocator_t *pool)
{
    char *text = initial_keys ? handshake_keys_describe(initial_keys) : g_strdup("none");
    char *copy = wmem_strdup(pool, text);

    g_free(text);
    return copy;
}
