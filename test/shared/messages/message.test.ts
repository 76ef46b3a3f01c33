import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Metadata } from '#shared/contract/values.ts'
import { englishText } from '#shared/messages/english.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import {
  asSentence,
  message,
  openMessages,
  sentences,
  storedMessage,
  verbatim,
} from '#shared/messages/message.ts'
import { Message, messageFromStored } from '#shared/messages/message-schema.ts'

const textOf = openMessages(
  {
    'a.images': '{count, plural, one {# image} other {# images}} of {who}',
    'a.calls': '{callers} call.',
    'a.name': 'Stroke',
    'a.busy': 'it is busy',
    'a.refused': '{who} refused: {why}',
    'a.why': '{why} (status {status})',
    'text.sentence': '{part}.',
    'text.verbatim': '{text}',
  },
  'en-GB',
)

describe('a message', () => {
  it('has its values in the form of the language, messages and lists among them', () => {
    expect(textOf({ code: 'a.images', params: { count: 1, who: 'CT1' } })).toBe('1 image of CT1')
    const many = { code: 'a.images', params: { count: 1200, who: { code: 'a.name' } } }
    expect(textOf(many)).toBe('1,200 images of Stroke')
    const callers = ['CT1', { code: 'a.name' }, 'MR1']
    expect(textOf({ code: 'a.calls', params: { callers } })).toBe('CT1, Stroke and MR1 call.')
  })

  it.each([
    [{ code: 'a.busy' }, 'It is busy.'],
    [{ code: 'a.refused', params: { who: 'pacs', why: 'x' } }, 'pacs refused: x.'],
    [{ code: 'a.why', params: { why: { code: 'a.busy' }, status: 7 } }, 'It is busy (status 7).'],
    [{ code: 'a.why', params: { why: 'pacs', status: 7 } }, 'pacs (status 7).'],
    [verbatim('dicom-dimse-native is not installed'), 'dicom-dimse-native is not installed.'],
    [verbatim('It is full.'), 'It is full.'],
  ])('is a sentence of its own, in which names keep their case: %o', (part, sentence) => {
    expect(textOf(asSentence(part))).toBe(sentence)
  })

  it('takes nothing in a value for syntax', () => {
    const who = "<b>{count}</b> '{'"
    expect(textOf({ code: 'a.images', params: { count: 2, who } })).toBe(`2 images of ${who}`)
  })

  it('is legible where the catalogue is older', () => {
    expect(textOf({ code: 'b.new', params: { who: 'CT1' } })).toBe('b.new CT1')
  })

  it('goes through JSON and a column of the database', () => {
    const of = sentences(verbatim('One.'), undefined, message('http.unexplained', { status: 502 }))
    expect(Message.parse(JSON.parse(JSON.stringify(of)))).toEqual(of)
    expect(messageFromStored(storedMessage(of))).toEqual(of)
    expect(englishText(of)).toBe(
      'One. The gateway responded with HTTP status 502 and no explanation.',
    )
  })

  it.each(['Refused: {"code":1}', '{"code":', '{"code":7}', ''])(
    'is the text of a column that holds none: %s',
    (text) => {
      expect(englishText(messageFromStored(text))).toBe(text)
    },
  )
})

describe('what is wrong with a value', () => {
  const issue = (schema: z.ZodType, value: unknown) =>
    issueMessage(schema.safeParse(value).error?.issues[0] as z.core.$ZodIssue)

  it('is the message that the schema names, with the values of the issue', () => {
    const schema = z.string().max(3, { error: 'input.too-long' })
    expect(issue(schema, 'four')).toMatchObject({ code: 'input.too-long', params: { maximum: 3 } })
  })

  it.each([
    [z.string(), 1, 'must be of type string'],
    [z.string().min(3), 'x', 'must have a length of at least 3'],
    [z.number().max(9), 10, 'must be at most 9'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have a length of at most 1'],
    [z.enum(['CT', 'MR']), 'US', 'must be one of CT, MR'],
    [z.strictObject({}), { other: 1 }, 'has unknown fields: other'],
    [z.union([z.string(), z.number()]), true, 'does not match any of the allowed forms'],
    [Metadata, { ['k'.repeat(101)]: 'v' }, 'must have keys of at most 100 characters'],
  ])('%#: of zod itself too', (schema, value, text) => {
    expect(englishText(issue(schema, value))).toBe(text)
  })
})
