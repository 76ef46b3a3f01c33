import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import { listElements } from '#server/dicom/objects/element-list.ts'
import { readStructuredReport } from '#server/dicom/objects/structured-report.ts'
import { readWaveforms } from '#server/dicom/objects/waveforms.ts'
import { encapsulatedVideo } from '#server/dicom/pixel-data/encapsulated-content.ts'
import { ElementList, StructuredReport, Waveforms } from '#shared/contract/viewed-objects.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import {
  doseReport,
  keyObjects,
  measurementReport,
} from '../../../../support/structured-reports.ts'
import { waveformFile, waveformGroup } from '../../../../support/waveform-objects.ts'
import { encapsulatedFile, IMAGE, TestSource } from '../pixel-data/viewed-file-fixture.ts'

const SAMPLES = [
  measurementReport('2.25.1'),
  doseReport(),
  keyObjects(['2.25.1', '2.25.2']),
  waveformFile([
    waveformGroup([
      [1, 2, 3],
      [4, 5, 6],
    ]),
  ]),
  encapsulatedFile(IMAGE, [Buffer.from('\0\0\0\x18ftypmp42', 'latin1'), Buffer.alloc(40)]),
]

/** What it becomes; undefined for a fault that is explained. Any other error fails the test. */
function orFault<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof ViewedFileFault) return undefined
    throw error
  }
}

it('damaged files are read as far as the contract allows, or refused with a reason', {
  timeout: RUNS_TIMEOUT_MS,
}, () => {
  const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) })
  fc.assert(
    fc.property(
      fc.constantFrom(...SAMPLES),
      fc.array(change, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      fc.boolean(),
      (sample, changes, cut, isCut) => {
        const bytes = Buffer.from(sample)
        for (const { at, byte } of changes) bytes[at % bytes.length] = byte
        const source = () => new TestSource(isCut ? bytes.subarray(0, cut % bytes.length) : bytes)
        const report = orFault(() => readStructuredReport(source()))
        if (report) StructuredReport.parse(report)
        const waveforms = orFault(() => readWaveforms(source()))
        if (waveforms) Waveforms.parse(waveforms)
        const elements = orFault(() => listElements(source()))
        if (elements) ElementList.parse(elements)
        const { length } = bytes
        const spans = orFault(() => encapsulatedVideo(source()))?.spans ?? []
        for (const span of spans) expect(span.at + span.length).toBeLessThanOrEqual(length)
      },
    ),
    runs(1000),
  )
})
