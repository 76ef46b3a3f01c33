import './no-eval.ts'
import { askEarly } from './early.ts'

// The page's first script is small: the gateway answers who is signed in, and how it is, while the
// program comes.
void askEarly(window.location.hash)
void import('./main.tsx')
