import { readFileSync } from 'node:fs'
import { parse, TYPE } from '@formatjs/icu-messageformat-parser'
import type { Plugin } from 'vite'

/**
 * How the codes of the texts of the first screen begin. `first-screen.test.ts` looks for a text of
 * its modules that is in none of them.
 */
export const FIRST_TEXTS = [
  ...['ui.accept-invitation.', 'ui.common.', 'ui.create-owner.', 'ui.critical-results.'],
  ...['ui.dashboard.', 'ui.format.', 'ui.image-panel.', 'ui.reports.banner.', 'ui.reports.left.'],
  ...['ui.reports.priors.', 'ui.shell.', 'ui.sign-in.', 'ui.studies.done.', 'ui.study-list.'],
  ...['ui.users.levels.', 'ui.users.roles.', 'ui.worklist.'],
]
const partOf = (code: string): string => {
  if (!code.startsWith('ui.')) return 'server'
  return FIRST_TEXTS.some((start) => code.startsWith(start)) ? 'first' : 'others'
}

/** A message as `openMessages` reads it without a parser. */
function compiledMessage(text: string): unknown {
  const elements = parse(text, { ignoreTag: true })
  const [first, second] = elements
  if (!first) return ['']
  return first.type === TYPE.literal && !second ? [first.value] : elements
}

/** The server has no texts of the window, which are two thirds of the catalogue. */
export const serverTexts = (): Plugin => ({
  name: 'server-texts',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => name === 'node',
  load: {
    filter: { id: /\/shared\/messages\/en\.json$/ },
    handler(id) {
      const messages: Record<string, string> = JSON.parse(readFileSync(id, 'utf8'))
      const texts = Object.entries(messages).filter(([code]) => partOf(code) === 'server')
      const json = JSON.stringify(JSON.stringify(Object.fromEntries(texts)))
      return { code: `export default JSON.parse(${json})`, moduleType: 'js' }
    },
  },
})

/**
 * The window loads its catalogues in parts, compiled (decision 0046): the parser of ICU messages is
 * nearly as large as all texts of the first screen.
 */
export function catalogues(): Plugin {
  let isBuild = false
  return {
    name: 'catalogues',
    enforce: 'pre',
    configResolved({ command }) {
      isBuild = command === 'build'
    },
    resolveId(source) {
      if (isBuild && this.environment.name === 'client' && source === PARSER)
        return this.resolve(`${PARSER}/no-parser.js`)
      return null
    },
    load: {
      filter: { id: /\.json\?part=/ },
      handler(id) {
        const [file = '', part] = id.split('?part=')
        const messages: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'))
        const texts = Object.entries(messages)
          .filter(([code]) => partOf(code) === part)
          .map(([code, text]) => [code, isBuild ? compiledMessage(text) : text] as const)
        const json = JSON.stringify(JSON.stringify(Object.fromEntries(texts)))
        return { code: `export default JSON.parse(${json})`, moduleType: 'js' }
      },
    },
  }
}
const PARSER = '@formatjs/icu-messageformat-parser'
