import { fileURLToPath } from 'node:url'

/** Documents with tables of the code, in `docs/`. */
export const DOCUMENTS = [
  'CONFORMANCE.md',
  'INTEGRATION.md',
  'CONNECTING.md',
  'AUTHORITY.md',
  'COMMANDS.md',
] as const

export const documentPath = (name: (typeof DOCUMENTS)[number]): string =>
  fileURLToPath(new URL(`../../docs/${name}`, import.meta.url))
