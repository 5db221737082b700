// The part of the address after the #: a token or an invite code. It is removed from the address immediately, so that
// neither the history nor a copied link contains it.
import '../lib/oidc.ts' // this module first removes what an OpenID provider added to the address

const hash = location.hash.slice(1)
if (hash) history.replaceState(null, '', location.pathname + location.search)

/** The token of a link in a mail; empty if the link is incomplete. */
export const token: string = new URLSearchParams(hash).get('token') ?? ''

/** The invite code of a link, unchanged. */
export const inviteCode: string = hash
