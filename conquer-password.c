/* conquer-password.c
 * The password of a login message, where the user wants to see it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "conquer-internal.h"

#include <string.h>

#include "password.h"

/* The field of a login message that names the account, which the scan codes depend on. */
#define ACCOUNT_FIELD "account"

static int hf_password = -1;
static expert_field ei_unreadable = EI_INIT;

/* The account's name as it is in the message. */
static const char *find_account(const struct dissection *d, size_t *length)
{
    *length = 0;
    for (unsigned i = 0; i < d->layout->fields->len; i++) {
        const struct field *field = (const struct field *)d->layout->fields->pdata[i];
        if (field->type != FIELD_TEXT || strcmp(field->name, ACCOUNT_FIELD) != 0 ||
            field->offset + field->size > d->view.length)
            continue;
        const char *account = (const char *)d->view.data + field->offset;
        const char *end = (const char *)memchr(account, '\0', field->size);
        *length = end ? (size_t)(end - account) : field->size;
        return account;
    }
    return "";
}

void conquer_add_password(struct dissection *d, proto_tree *tree, unsigned offset, unsigned size)
{
    char text[PASSWORD_MAX + 1];
    size_t account_length;
    const char *account;

    if (!d->options->show_passwords)
        return;
    account = find_account(d, &account_length);
    password_form_t form = password_decrypt(d->view.data + offset, size, d->options->password_seed,
                                            account, account_length, d->layout->patch, text);
    proto_item *item =
        proto_tree_add_string(tree, hf_password, d->tvb, (int)offset, (int)size, text);
    proto_item_set_generated(item);
    if (form == PASSWORD_UNREADABLE)
        expert_add_info(d->pinfo, item, &ei_unreadable);
    memset(text, 0, sizeof text);
}

void conquer_register_password(int proto)
{
    static hf_register_info fields[] = {
        {&hf_password,
         {"Password", "conquer.password", FT_STRING, BASE_NONE, NULL, 0,
          "Deciphered password of a login; shown only with the preference tq.show_passwords",
          HFILL}},
    };
    static ei_register_info infos[] = {
        {&ei_unreadable,
         {"conquer.password.unreadable", PI_UNDECODED, PI_NOTE,
          "The password does not decipher to text: another key, or the seed (MsgEncryptCode) is "
          "not in the capture",
          EXPFILL}},
    };

    proto_register_field_array(proto, fields, array_length(fields));
    expert_register_field_array(expert_register_protocol(proto), infos, array_length(infos));
}
