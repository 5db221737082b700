// What stands after the # of the address: a token or an invite code. The address loses it at once, so that it stays
// neither in the history nor in a copied link.
const hash = location.hash.slice(1)
if (hash) history.replaceState(null, '', location.pathname + location.search)

/** The token of a link in a mail; empty if the link is incomplete. */
export const token: string = new URLSearchParams(hash).get('token') ?? ''

/** The invite code of a link, as it is. */
export const inviteCode: string = hash
