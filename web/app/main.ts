// The web client at /app.
import { Notices } from '../lib/errors.ts'
import { html, render } from '../lib/html.ts'
import { startRouter } from '../lib/router.ts'
import { restore } from '../lib/session.ts'
import { sharedTexts } from '../lib/shared-texts.ts'
import { OfflineNote, startWorker } from './install.ts'
import { Login } from './login.ts'
import { isRestored, kith, me } from './session.ts'
import { Shell } from './shell.ts'
import { startCounting } from './unread.ts'

const Loading = () => html`<main class="alone"><p class="quiet" role="status">${sharedTexts.value.loading}</p></main>`

const App = () => html`<${isRestored.value ? (me.value ? Shell : Login) : Loading} /><${Notices} /><${OfflineNote} />`

startRouter('/app')
render(html`<${App} />`, document.body)
void restore(kith)
void startWorker()
startCounting()
