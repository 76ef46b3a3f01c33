import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type StudyFacts, verdictOf } from '#server/modules/lifecycle/evaluation.ts'
import { NewLifecycleRule } from '#shared/contract/lifecycle.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'

const DAY_MS = 24 * 60 * 60_000
const NOW = Date.parse('2026-11-20T10:00:00.000Z')

const modality = fc.constantFrom('CT', 'MR', 'SR', 'PR')
const title = fc.constantFrom('CT1', 'MR1')
const rules = fc
  .record({
    name: fc.constant('A rule'),
    since: fc.constantFrom('received' as const, 'signed' as const),
    days: fc.integer({ min: 0, max: 200 }),
    modalities: fc.uniqueArray(modality, { maxLength: 2 }),
    devices: fc.uniqueArray(title, { maxLength: 2 }),
    requiresSignedReport: fc.boolean(),
    copies: fc.integer({ min: 1, max: 3 }),
    isEarlierWhenLow: fc.boolean(),
    readsBack: fc.boolean(),
  })
  .map((rule) => NewLifecycleRule.parse(rule))
const past = fc.integer({ min: 0, max: 300 }).map((days) => NOW - days * DAY_MS)
const instances = fc.record({
  file: fc.constant('00/0.dcm'),
  localRemovedAt: fc.constant(null),
  bytes: fc.nat(1000),
  modality,
  callingAeTitle: title,
  isOwn: fc.boolean(),
  places: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')).map((places) => new Set(places)),
})
const studies: fc.Arbitrary<StudyFacts> = fc.record({
  studyInstanceUid: fc.constant('1.2.3'),
  receivedAt: past,
  signedAt: fc.option(past),
  isHeld: fc.boolean(),
  isArriving: fc.boolean(),
  hasQuarantinedImages: fc.boolean(),
  isMismatched: fc.boolean(),
  isBeingForwarded: fc.boolean(),
  local: fc
    .array(instances, { maxLength: 4 })
    .map((all) => all.map((one, instanceId) => ({ ...one, instanceId }))),
})
/** A study that nothing but its copies and its age can keep. */
const settled = studies.map((study) => ({
  ...study,
  ...{ isHeld: false, isArriving: false, hasQuarantinedImages: false },
  ...{ isMismatched: false, isBeingForwarded: false },
}))

describe('what a rule removes', { timeout: RUNS_TIMEOUT_MS }, () => {
  it('has as many confirmed copies of every image as the rule demands, and never none', () => {
    fc.assert(
      fc.property(rules, settled, fc.boolean(), (rule, study, isLow) => {
        const verdict = verdictOf(rule, study, NOW, isLow)
        if (verdict.kind !== 'remove') return
        expect(verdict.instances.length).toBeGreaterThan(0)
        for (const { places, isOwn } of verdict.instances) {
          expect(places.size).toBeGreaterThanOrEqual(Math.max(1, rule.copies))
          expect(isOwn).toBe(false)
        }
        // Never a part of what the devices sent.
        expect(verdict.instances).toEqual(study.local.filter(({ isOwn }) => !isOwn))
      }),
      runs(3000),
    )
  })

  it('is not held, arriving, quarantined, mismatched, being forwarded or unsigned where that counts', () => {
    fc.assert(
      fc.property(rules, studies, fc.boolean(), (rule, study, isLow) => {
        if (verdictOf(rule, study, NOW, isLow).kind !== 'remove') return
        const { isHeld, isArriving, hasQuarantinedImages, isMismatched, isBeingForwarded } = study
        expect([
          isHeld,
          isArriving,
          hasQuarantinedImages,
          isMismatched,
          isBeingForwarded,
        ]).not.toContain(true)
        if (rule.requiresSignedReport || rule.since === 'signed')
          expect(study.signedAt).not.toBeNull()
      }),
      runs(3000),
    )
  })

  it('is as old as the rule demands, unless the disk is nearly full and the rule permits it', () => {
    fc.assert(
      fc.property(rules, settled, fc.boolean(), (rule, study, isLow) => {
        if (verdictOf(rule, study, NOW, isLow).kind !== 'remove') return
        const since = rule.since === 'signed' ? study.signedAt : study.receivedAt
        if (!(isLow && rule.isEarlierWhenLow))
          expect(NOW - Number(since)).toBeGreaterThanOrEqual(rule.days * DAY_MS)
      }),
      runs(3000),
    )
  })

  it('is from the devices and of the modalities that the rule names', () => {
    fc.assert(
      fc.property(rules, settled, (rule, study) => {
        const verdict = verdictOf(rule, study, NOW, false)
        if (verdict.kind !== 'remove') return
        const images = verdict.instances.filter((one) => !['SR', 'PR'].includes(one.modality))
        for (const one of images)
          if (rule.modalities.length > 0) expect(rule.modalities).toContain(one.modality)
        for (const one of verdict.instances)
          if (rule.devices.length > 0) expect(rule.devices).toContain(one.callingAeTitle)
      }),
      runs(3000),
    )
  })

  it('is something: an old, signed study with three copies goes', () => {
    fc.assert(
      fc.property(rules, (rule) => {
        const places = new Set(['a', 'b', 'c'])
        const study: StudyFacts = {
          ...{ studyInstanceUid: '1.2.3', receivedAt: 0, signedAt: 0, isHeld: false },
          ...{
            isArriving: false,
            hasQuarantinedImages: false,
            isMismatched: false,
            isBeingForwarded: false,
          },
          local: [
            {
              ...{ instanceId: 1, file: '00/0.dcm', localRemovedAt: null, bytes: 1, isOwn: false },
              ...{ modality: rule.modalities[0] ?? 'CT', callingAeTitle: rule.devices[0] ?? 'CT1' },
              places,
            },
          ],
        }
        expect(verdictOf(rule, study, NOW, false).kind).toBe('remove')
      }),
      runs(1000),
    )
  })
})
