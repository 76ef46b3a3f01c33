import '../no-eval.ts'

// The link may be opened where the page is open without it.
window.addEventListener('hashchange', () => window.location.reload())
void import('./main.tsx')
