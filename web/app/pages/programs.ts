// The page of access tokens, third-party apps and bots, which act in the name of the person.
import { html, type VNode } from '../../lib/html.ts'
import { AllowedApps, OwnApps } from '../programs/apps.ts'
import { Bots } from '../programs/bots.ts'
import { programTexts } from '../programs/texts.ts'
import { AccessTokens } from '../programs/tokens.ts'
import { Part } from '../settings-part.ts'

export function Programs(): VNode {
  const t = programTexts.value.tokens
  return html`<${Part}>
    <${AllowedApps} />
    <section>
      <h2>${t.title}</h2>
      <p class="quiet">${t.text}</p>
      <${AccessTokens} />
    </section>
    <${Bots} />
    <${OwnApps} />
  <//>` as VNode
}
