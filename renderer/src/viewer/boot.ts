import '../ui/no-eval.ts'
import { viewBase } from '#shared/view-paths.ts'
import { language } from '../i18n/language.ts'
import { loadMessages } from '../i18n/messages.ts'
import { showNotStarted } from '../ui/not-started.ts'
import { call } from './calls.ts'
import { type EntranceWorld, enter, entranceOf } from './entrance.ts'

// The page's first script is small: somebody waits with a patient, so the link is exchanged and the
// four megabytes of the engine are on their way before the screen's own parts have come.

const entrance = entranceOf(window.location)
// At once: an address with a token must not stay in the bar, the history or a screenshot.
if (entrance.by === 'token') window.history.replaceState(null, '', `${viewBase}/viewer`)
const world: EntranceWorld = {
  call,
  rename: (address) => window.history.replaceState(null, '', address),
  leaveFor: (address) => window.location.replace(address),
}
// Outside React: its StrictMode runs an effect twice, and a link works once.
const opening = enter(entrance, world)
document.documentElement.lang = language === 'es' ? 'es' : 'en'
const shown = loadMessages().then(() => {
  // `Landing` shows it once the view is open; its failure is told there.
  if (entrance.by !== 'nothing') void import('./viewer.tsx').catch(() => undefined)
  return import('./main.tsx')
})
if (entrance.by !== 'nothing') {
  const beginning = import('./beginning.ts')
  // What fails here is told by the screen, which waits for the same.
  void Promise.all([opening, beginning]).then(
    ([opened, { begin }]) => opened.state === 'open' && begin(opened.view),
    () => undefined,
  )
}
// Another view in the same window or frame: nothing of the one before is kept.
window.addEventListener('hashchange', () => window.location.reload())
void shown.then(({ show }) => show(opening, () => enter(entrance, world))).catch(showNotStarted)
