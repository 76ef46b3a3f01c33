import '../ui/no-eval.ts'
import { viewBase } from '#shared/view-paths.ts'
import { language } from '../i18n/language.ts'
import { loadMessages } from '../i18n/messages.ts'
import { showStartFailure } from '../ui/not-started.ts'
import { call } from './calls.ts'
import { type EntranceActions, enter, entranceOf } from './entrance.ts'
import { requestFirst } from './first-requests.ts'

// The page's first script is small: it exchanges the link and requests the first image while the
// browser still loads the engine, which has two megabytes, and the screen.

/** What fails before the screen is there is told by the screen, which waits for the same. */
const ignoreError = () => undefined

const entrance = entranceOf(window.location)
// At once: an address with a token must not stay in the bar, the history or a screenshot.
if (entrance.by === 'token') window.history.replaceState(null, '', `${viewBase}/viewer`)
const entranceActions: EntranceActions = {
  call,
  rename: (address) => window.history.replaceState(null, '', address),
  leaveFor: (address) => window.location.replace(address),
}
// Outside React: its StrictMode runs an effect twice, and a link works once.
const opening = enter(entrance, entranceActions)
const requested = opening.then(async (opened) => {
  if (opened.state === 'open') await requestFirst(opened.view.viewId)
}, ignoreError)
/** How long the page's modules wait for the first requests to be sent, ms. */
const MAX_WAIT_MS = 150
const requestsSent = Promise.race([
  requested,
  new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS)),
])
document.documentElement.lang = language === 'es' ? 'es' : 'en'
const shown = Promise.all([loadMessages(), requestsSent]).then(() => {
  // `landing.tsx` displays it once the view is open, and reports its failure.
  if (entrance.by !== 'nothing') void import('./viewer.tsx').catch(ignoreError)
  return import('./main.tsx')
})
if (entrance.by !== 'nothing') {
  const beginning = requestsSent.then(() => import('./beginning.ts'))
  void Promise.all([opening, beginning]).then(
    ([opened, { startView: begin }]) => opened.state === 'open' && begin(opened.view),
    ignoreError,
  )
}
// Another view in the same window or frame: nothing of the one before is kept.
window.addEventListener('hashchange', () => window.location.reload())
void shown
  .then(({ show }) => show(opening, () => enter(entrance, entranceActions)))
  .catch(showStartFailure)
