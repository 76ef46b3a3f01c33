import { describe, expect, it } from 'vitest'
import { Metadata } from '#shared/contract/values.ts'
import {
  isSameMetadata,
  metadataOf,
  newPair,
  pairFaults,
  pairsOf,
} from '../../../renderer/src/ui/metadata-pairs.ts'

const faultsOf = (...pairs: [string, string][]) => {
  const lines = pairs.map(([name, value]) => newPair(name, value))
  const faults = pairFaults(lines)
  return lines.map(({ id }) => faults.has(id))
}

describe('a metadata map, line by line', () => {
  it('comes back as it was', () => {
    const metadata = { site: 'North', 'cost centre': '', '10': 'ten', __proto: 'x' }
    expect(metadataOf(pairsOf(metadata))).toEqual(metadata)
    expect(metadataOf(pairsOf(undefined))).toEqual({})
    expect(metadataOf(pairsOf(null))).toEqual({})
  })

  it('leaves out empty lines and the space around names, and keeps values as they are', () => {
    expect(metadataOf([newPair(), newPair(' site ', ' North '), newPair('  ', ' ')])).toEqual({
      site: ' North ',
    })
  })

  it('keeps a name that objects have of their own', () => {
    const metadata = metadataOf([newPair('__proto__', 'x'), newPair('constructor', 'y')])
    expect(Object.entries(metadata)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })

  it('finds a value without a name, a name that is there twice, and what is too long', () => {
    expect(
      faultsOf(
        ['', 'North'],
        ['site', 'a'],
        ['site ', 'b'],
        ['n'.repeat(101), ''],
        ['long', 'v'.repeat(1001)],
      ),
    ).toEqual([...[true, false, true, true, true]])
    expect(faultsOf(['', ''], ['', ''], ['n'.repeat(100), 'v'.repeat(1000)])).toEqual([
      false,
      false,
      false,
    ])
  })

  it('agrees with the contract on what can be sent', () => {
    const lines = Array.from({ length: 50 }, (_, at) => newPair(`name ${at}`, 'value'))
    expect(pairFaults(lines).size).toBe(0)
    expect(Metadata.safeParse(metadataOf(lines)).success).toBe(true)
  })

  it('says the same in another order', () => {
    expect(isSameMetadata({ a: '1', b: '2' }, { b: '2', a: '1' })).toBe(true)
    expect(isSameMetadata({}, null)).toBe(true)
    expect(isSameMetadata({ a: '1' }, undefined)).toBe(false)
    expect(isSameMetadata({ a: '1' }, { a: '2' })).toBe(false)
  })
})
