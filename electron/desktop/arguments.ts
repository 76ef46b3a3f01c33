import { parseArgs } from 'node:util'
import { HIDDEN } from './autostart.ts'
import { isLink, placeIn } from './deep-link.ts'

export interface StartArguments {
  /** The data folder. */
  readonly folder: string
  /** It was named, and is not the account's own. */
  readonly isNamed: boolean
  /** Without its window, as when it starts with the PC. */
  readonly isHidden: boolean
  /** Where a link leads the window. */
  readonly place: string | undefined
  /** For `serve`. */
  readonly serve: readonly string[]
}

/** Chromium's own, and the folder of an app that is not packaged. */
const NOT_OURS: readonly string[] = ['--no-sandbox', '.', HIDDEN]

/**
 * `--data DIR` chooses the data folder, `--hidden` leaves the window closed, `isthmus://…` leads it
 * somewhere; everything else goes to `serve` as it is. What follows a link is ignored: the
 * system puts a link last, so the rest came with it.
 */
export function readArguments(argv: readonly string[], userData: string): StartArguments {
  const link = argv.findIndex(isLink)
  const ours = link < 0 ? argv : argv.slice(0, link)
  const { values, tokens } = parseArgs({
    args: [...ours],
    options: { data: { type: 'string' } },
    strict: false,
    tokens: true,
  })
  const isOfData = (index: number) =>
    tokens.some(
      (token) =>
        token.kind === 'option' &&
        token.name === 'data' &&
        (token.index === index || (!token.inlineValue && token.index === index - 1)),
    )
  const isNamed = typeof values.data === 'string'
  return {
    folder: isNamed ? String(values.data) : userData,
    isNamed,
    isHidden: ours.includes(HIDDEN),
    place: placeIn(argv),
    serve: ours.filter((argument, index) => !isOfData(index) && !NOT_OURS.includes(argument)),
  }
}
