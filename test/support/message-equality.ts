import { expect } from 'vitest'
import { englishText } from '#shared/messages/english.ts'
import { isMessage } from '#shared/messages/message.ts'

// Test files of one project share their modules, and this file runs for each of them.
const DONE = Symbol.for('isthmus.message-equality')
if (!Reflect.has(globalThis, DONE)) {
  Reflect.set(globalThis, DONE, true)
  // A message equals its English text: tests read what a person would.
  expect.addEqualityTesters([
    (one: unknown, other: unknown): boolean | undefined => {
      if (isMessage(one) && typeof other === 'string') return englishText(one) === other
      if (isMessage(other) && typeof one === 'string') return englishText(other) === one
      return undefined
    },
  ])
  // So do the matchers of parts of a text.
  for (const matcher of [expect.stringContaining(''), expect.stringMatching('')]) {
    const prototype = Object.getPrototypeOf(matcher)
    const { asymmetricMatch } = prototype
    prototype.asymmetricMatch = function (other: unknown) {
      return asymmetricMatch.call(this, isMessage(other) ? englishText(other) : other)
    }
  }
}

// The window reads its catalogue before it is drawn.
if (expect.getState().testPath?.includes('/test/renderer/')) {
  const { loadMessages } = await import('../../renderer/src/i18n/messages.ts')
  await loadMessages()
}
