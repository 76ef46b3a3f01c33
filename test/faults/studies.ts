import { ofArea } from './fault.ts'

export default ofArea('STU', [
  {
    promise: 'P-STU-02',
    what: 'the value of the header wins over that of the partner',
    file: 'electron/server/modules/images/study-values.ts',
    find: 'partnerValue(partner, (raw) => validated(field, raw)) ?? validated(field, clean(ofHeader(dicomValues)))',
    replace:
      'validated(field, clean(ofHeader(dicomValues))) ?? partnerValue(partner, (raw) => validated(field, raw))',
    tests: 'electron/server/modules/images/study-values.test.ts',
  },
  {
    promise: 'P-STU-02',
    what: 'a size in centimetres is taken for metres',
    file: 'electron/server/modules/images/study-values.ts',
    find: 'metres >= 0.2 && metres <= 3',
    replace: 'metres >= 0.2 && metres <= 300',
    tests: 'electron/server/modules/images/study-values.test.ts',
  },
  {
    promise: 'P-STU-02',
    what: 'the age does not count the day of the month',
    file: 'electron/server/modules/images/study-values.ts',
    find: '- (day < birthDay ? 1 : 0)',
    replace: '- (day < 0 ? 1 : 0)',
    tests: 'electron/server/modules/images/study-values.test.ts',
  },
  {
    promise: 'P-STU-03',
    what: 'a later answer overwrites what a person has set',
    file: 'electron/server/modules/images/created-studies.ts',
    find: 'const isUserValue = touched.has(name) || !isSame(now[name], ownValues[name])',
    replace: 'const isUserValue = !isSame(now[name], ownValues[name])',
    tests: 'electron/server/modules/images/created-studies.test.ts',
  },
  {
    promise: 'P-STU-04',
    what: 'a study that a partner made is filled by its images',
    file: 'electron/server/modules/images/study-creation.ts',
    find: 'if (!isEligible || (!wasCreated && this.#freeAreas(studyInstanceUid).length === 0)) {',
    replace: 'if (!isEligible) {',
    tests: 'electron/server/modules/images/study-creation.test.ts',
  },
  {
    promise: 'P-STU-05',
    what: 'an answer about the former patient is used after the device corrected it',
    file: 'electron/server/modules/images/study-creation.ts',
    find: `      if (!now || !isStillCurrent(study, now)) return undefined
      const merged = this.#mergedFor(now, answered)
      // The study may have`,
    replace: `      if (!now) return undefined
      const merged = this.#mergedFor(now, answered)
      // The study may have`,
    tests: 'electron/server/modules/images/late-images.test.ts',
  },
  {
    promise: 'P-MPP-05',
    what: 'a study is settled while an association that sent to it is open',
    file: 'electron/server/modules/images/study-completion.ts',
    find: 'this.#statistics.isStudyOpen(studyInstanceUid) ? Number.POSITIVE_INFINITY : clampDue',
    replace: "studyInstanceUid === '' ? Number.POSITIVE_INFINITY : clampDue",
    tests: 'electron/server/modules/images/study-completion.test.ts',
  },
  {
    promise: 'P-LIM-14',
    what: 'a clock that was set back stops the settling of studies',
    file: 'electron/server/modules/images/study-completion.ts',
    find: '(at - now > mostMs ? now : at)',
    replace: '(at - now > mostMs * 1000 ? now : at)',
    tests: 'electron/server/modules/images/study-completion.test.ts',
  },
  {
    promise: 'P-STU-10',
    what: 'null no longer clears the customer of a study',
    file: 'electron/server/modules/studies/study-patch.ts',
    find: 'patch.expressCustomerId === undefined ? former.expressCustomerId : patch.expressCustomerId',
    replace: 'patch.expressCustomerId ?? former.expressCustomerId',
    tests: [
      'electron/server/modules/studies/study-patch.test.ts',
      'electron/server/modules/studies/studies.test.ts',
    ],
  },
  {
    promise: 'P-STU-09',
    what: 'a study can be unassigned while its report is written',
    file: 'shared/lifecycle.ts',
    find: "unassign: { unassigned: 'unassigned', assigned: 'unassigned', completed: 'completed' },",
    replace:
      "unassign: { unassigned: 'unassigned', assigned: 'unassigned', in_progress: 'unassigned', completed: 'completed' },",
    tests: [
      'electron/server/modules/studies/study-lifecycle.test.ts',
      'electron/server/modules/studies/studies.test.ts',
    ],
  },
])
