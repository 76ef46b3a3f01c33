import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isStrict, unknownFields } from '#server/http/strict.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { orEmpty } from '#shared/contract/values.ts'

describe('Prefer', () => {
  it('asks for strict handling in any form RFC 7240 allows', () => {
    for (const given of [
      'handling=strict',
      'Handling = "strict"',
      'respond-async, handling=strict',
      'handling=strict;foo=1',
      ['wait=10', 'handling=strict'],
    ])
      expect([given, isStrict(given)]).toEqual([given, true])
    for (const given of [
      undefined,
      '',
      'handling=lenient',
      'handling=stricter',
      'xhandling=strict',
      'strict',
    ])
      expect([given, isStrict(given)]).toEqual([given, false])
  })
})

describe('an unknown field', () => {
  const Body = z.object({
    name: z.string(),
    home: z.object({ city: z.string() }).nullable().optional(),
    items: z.array(z.object({ size: z.number() })).default([]),
    either: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    free: z.record(z.string(), z.json()).optional(),
    open: z.looseObject({}).optional(),
  })

  it('is found at any depth, in lists too', () => {
    const body = {
      name: 'n',
      extra: 1,
      home: { city: 'c', zip: 2 },
      items: [{ size: 1 }, { size: 2, weight: 3 }],
    }
    expect(unknownFields(Body, body, 'body')).toEqual([
      'body.extra',
      'body.home.zip',
      'body.items.1.weight',
    ])
    expect(unknownFields(orEmpty(Body.partial()), { extra: {} }, 'body')).toEqual(['body.extra'])
  })

  it('is not one where any form has it, or where names are free', () => {
    const body = {
      either: { a: 'x', b: 'y', c: 'z' },
      labels: { any: 'thing' },
      free: { deep: { er: 1 } },
      open: { more: 1 },
    }
    expect(unknownFields(Body, body, 'body')).toEqual(['body.either.c'])
  })

  it('is not looked for in what is not an object, which the contract refuses by itself', () => {
    for (const body of [null, undefined, 'text', 7, [{ extra: 1 }]])
      expect(unknownFields(Body, body, 'body')).toEqual([])
    expect(unknownFields(Body, { name: {}, home: 'x', items: 'y' }, 'body')).toEqual([])
  })

  it('is found in the bodies of the interface', () => {
    const body = {
      severity: 'stat',
      reportMetadata: { mrn: '1', wight: 2, height: { unit: 'cm', value: 1, precision: 2 } },
    }
    expect(unknownFields(scribe.update.body, body, 'body')).toEqual([
      'body.reportMetadata.wight',
      'body.reportMetadata.height.precision',
    ])
    expect(unknownFields(scribe.create.body, { constructor: 1 }, 'body')).toEqual([
      'body.constructor',
    ])
  })
})
