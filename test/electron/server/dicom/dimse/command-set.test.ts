import { describe, expect, it } from 'vitest'
import {
  type CommandSet,
  readCommandSet,
  writeCommandSet,
} from '#server/dicom/dimse/command-set.ts'
import { PduFault } from '#server/dicom/upper-layer/pdu.ts'

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')

describe('a command set', () => {
  it('is written as PS3.7 Table 9.1-1 lists C-ECHO-RQ', () => {
    const bytes = writeCommandSet({
      affectedSopClassUid: '1.2.840.10008.1.1',
      commandField: 0x0030,
      messageId: 7,
      hasDataSet: false,
    })
    expect(bytes).toEqual(
      hex(`
        0000 0000 04000000 38000000
        0000 0200 12000000 312e322e3834302e31303030382e312e3100
        0000 0001 02000000 3000
        0000 1001 02000000 0700
        0000 0008 02000000 0101`),
    )
  })

  it('is read back as it was written', () => {
    const command: CommandSet = {
      affectedSopClassUid: '1.2.840.10008.5.1.4.31',
      commandField: 0x8020,
      messageIdBeingRespondedTo: 65_535,
      hasDataSet: false,
      status: 0xa900,
      offendingElements: [0x00400002, 0xfffee000],
      errorComment: 'Not a date',
    }
    expect(readCommandSet(writeCommandSet(command))).toEqual(command)
  })

  it('never says more than 64 ASCII characters in its comment', () => {
    const { errorComment } = readCommandSet(
      writeCommandSet({
        commandField: 0x8020,
        hasDataSet: false,
        errorComment: `ü\\${'x'.repeat(100)}`,
      }),
    )
    expect(errorComment).toBe(`??${'x'.repeat(62)}`)
  })

  it.each([
    [
      'without a group length',
      '0000 0001 02000000 3000   0000 1001 02000000 0700   0000 0008 02000000 0101',
    ],
    [
      'with a wrong group length',
      '0000 0000 04000000 0f270000   0000 0001 02000000 3000   0000 1001 02000000 0700   0000 0008 02000000 0101',
    ],
    ['without CommandDataSetType', '0000 0001 02000000 3000   0000 1001 02000000 0700'],
    [
      'in another order',
      '0000 0008 02000000 0101   0000 1001 02000000 0700   0000 0001 02000000 3000',
    ],
    [
      'with unknown and empty elements',
      '0000 0001 02000000 3000   0000 1001 02000000 0700   0000 0007 00000000   0000 0008 02000000 0101   0000 9999 02000000 0000',
    ],
    [
      'with elements of other groups',
      '0000 0001 02000000 3000   0000 1001 02000000 0700   0000 0008 02000000 0101   0800 0001 02000000 4142',
    ],
  ])('is understood %s', (_quirk, bytes) => {
    expect(readCommandSet(hex(bytes))).toEqual({
      commandField: 0x0030,
      messageId: 7,
      hasDataSet: false,
    })
  })

  it('of a C-FIND that does not say so has a data set', () => {
    expect(readCommandSet(hex('0000 0001 02000000 2000')).hasDataSet).toBe(true)
  })

  it('has UIDs without their padding, spaces too', () => {
    const bytes = hex('0000 0001 02000000 3000   0000 0200 06000000 312e322e3320')
    expect(readCommandSet(bytes).affectedSopClassUid).toBe('1.2.3')
  })

  // A command set may be 64 KiB long: what takes the square of that stops the gateway for
  // everybody.
  it('has a title with a run of spaces in it as it came', () => {
    const title = `A${' '.repeat(300_000)}B`
    const length = Buffer.alloc(4)
    length.writeUInt32LE(title.length)
    const bytes = Buffer.concat([
      hex('0000 0001 02000000 2100   0000 0006'),
      length,
      Buffer.from(` ${title.slice(1)}`),
    ])
    expect(readCommandSet(bytes).moveDestination).toBe('B')
    bytes.write(title, bytes.length - title.length)
    expect(readCommandSet(bytes).moveDestination).toBe(title)
  })

  it.each([
    ['within a header', '0000 0001 0200'],
    ['within a value', '0000 0001 02000000 30'],
    ['before its command field', '0000 1001 02000000 0700'],
  ])('that ends %s is refused', (_where, bytes) => {
    expect(() => readCommandSet(hex(bytes))).toThrow(PduFault)
  })
})
