import '../ui/no-eval.ts'
import { preload } from '../api/preload.ts'
import { loadMessages } from '../i18n/messages.ts'
import { showNotStarted } from '../ui/not-started.ts'

// The page's first script is small: the gateway answers who is signed in, and how it is, while the
// program comes.
void preload(window.location.hash)
void loadMessages()
  .then(() => import('./main.tsx'))
  .catch(showNotStarted)
