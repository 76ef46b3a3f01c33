import { expect, it } from 'vitest'
import { checkJsonSize } from '#server/webhooks/json-size.ts'
import type { WebhookError } from '#server/webhooks/webhook-error.ts'
import { englishText } from '#shared/messages/english.ts'

/** What is thrown for this body, '' for nothing. */
function faultOf(text: string): string {
  try {
    checkJsonSize(Buffer.from(text))
    return ''
  } catch (error) {
    const { fault, detail } = error as WebhookError
    return `${fault}: ${englishText(detail)}`
  }
}

const TOO_MANY = 'oversize: the response contains more than 1000000 values'
const TOO_DEEP = 'invalid: the response is nested more than 32 levels deep'
const long = 'x'.repeat(70_000)

it.each<[string, string, string]>([
  [
    'a long list of ordinary items',
    JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ a: `${n}`, b: [n, { c: '{[,' }] }))),
    '',
  ],
  ['a million numbers', `[${'1,'.repeat(1_000_000)}1]`, TOO_MANY],
  ['a million empty objects', `[${'{},'.repeat(600_000)}{}]`, TOO_MANY],
  ['arrays within arrays', `["${long}",${'['.repeat(40)}${']'.repeat(40)}]`, TOO_DEEP],
  ['objects within objects', `{"${long}":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`, TOO_DEEP],
  [
    'brackets in a string',
    JSON.stringify([long, '['.repeat(1_100_000), ','.repeat(1_100_000)]),
    '',
  ],
  ['escaped quotes in a string', JSON.stringify([long, `\\"\\\\"${'[,'.repeat(1_100_000)}`]), ''],
  ['a string that ends in a backslash', `["${long}\\\\",${'['.repeat(40)}`, TOO_DEEP],
  ['a string without an end', `["${long}${'['.repeat(40)}`, ''],
  ['a short text of anything', '['.repeat(60_000), ''],
])('judges %s', (_, text, fault) => {
  expect(faultOf(text)).toBe(fault)
})
