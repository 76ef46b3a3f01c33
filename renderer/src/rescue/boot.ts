import '../ui/no-eval.ts'
import { loadMessages } from '../i18n/messages.ts'
import { showStartFailure } from '../ui/not-started.ts'

// The link may be opened where the page is open without it.
window.addEventListener('hashchange', () => window.location.reload())
void loadMessages()
  .then(() => import('./main.tsx'))
  .catch(showStartFailure)
