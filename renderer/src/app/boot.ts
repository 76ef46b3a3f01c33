import '../ui/no-eval.ts'
import { preload } from '../api/preload.ts'
import { loadPart } from '../i18n/messages.ts'
import { showStartFailure } from '../ui/not-started.ts'

// The page's first script is small: the gateway answers who is signed in, and how it is, while the
// program comes.
void preload(window.location.hash)
void loadPart('server').catch(() => undefined)
// Without its texts the page shows codes, which is better than nothing.
void loadPart('first')
  .catch(() => undefined)
  .then(() => import('./main.tsx'))
  .catch(showStartFailure)
