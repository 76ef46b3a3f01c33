import './no-eval.ts'
import { askEarly } from './early.ts'
import { loadMessages } from './i18n/said.ts'

// The page's first script is small: the gateway answers who is signed in, and how it is, while the
// program comes.
void askEarly(window.location.hash)
void loadMessages().then(() => import('./main.tsx'))
