import { parseArgs } from 'node:util'
import { HIDDEN_OPTION } from './autostart.ts'
import { isLink, pagePathIn } from './deep-link.ts'

export interface StartArguments {
  /** The data folder. */
  readonly folder: string
  /** Whether the folder was given and is not the default of the account. */
  readonly isFolderGiven: boolean
  /** Whether to start without a window, as at login. */
  readonly isHidden: boolean
  /** The page to open, from a link. */
  readonly pagePath: string | undefined
  /** Arguments for `serve`. */
  readonly serve: readonly string[]
}

/** Arguments for Chromium, and the app folder of an unpackaged app. */
const IGNORED_ARGUMENTS: readonly string[] = ['--no-sandbox', '.', HIDDEN_OPTION]

/**
 * Parses the arguments: `--data DIR` selects the data folder, `--hidden` starts without a window,
 * `isthmus://…` opens a page, and everything else is passed to `serve`. Arguments after a link are
 * ignored, because the operating system puts the link last and anything after it comes from the
 * link.
 */
export function readArguments(argv: readonly string[], userData: string): StartArguments {
  const link = argv.findIndex(isLink)
  const trustedArguments = link < 0 ? argv : argv.slice(0, link)
  const { values, tokens } = parseArgs({
    args: [...trustedArguments],
    options: { data: { type: 'string' } },
    strict: false,
    tokens: true,
  })
  const isDataOption = (index: number) =>
    tokens.some(
      (token) =>
        token.kind === 'option' &&
        token.name === 'data' &&
        (token.index === index || (!token.inlineValue && token.index === index - 1)),
    )
  const isFolderGiven = typeof values.data === 'string'
  return {
    folder: isFolderGiven ? String(values.data) : userData,
    isFolderGiven: isFolderGiven,
    isHidden: trustedArguments.includes(HIDDEN_OPTION),
    pagePath: pagePathIn(argv),
    serve: trustedArguments.filter(
      (argument, index) => !isDataOption(index) && !IGNORED_ARGUMENTS.includes(argument),
    ),
  }
}
