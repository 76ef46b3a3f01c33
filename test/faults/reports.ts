// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parts of sources
import { ofArea } from './fault.ts'

export default ofArea('REP', [
  {
    promise: 'P-REP-02',
    what: 'a save does not compare the revision it stands on',
    file: 'electron/server/modules/reports/report-drafts.ts',
    find: ') => revision === shown.revision && reportId',
    replace: ') => revision >= shown.revision && reportId',
    tests: 'electron/server/modules/reports/report-writing.test.ts',
  },
  {
    promise: 'P-REP-16',
    what: 'the last save of a window that closes is refused as a conflict with its own earlier one',
    file: 'electron/server/modules/reports/report-writing.ts',
    find: 'const isOwn = isLast &&',
    replace: 'const isOwn = revision < 0 &&',
    tests: 'electron/server/modules/reports/report-writing.test.ts',
  },
  {
    promise: 'P-REP-04',
    what: 'the draft that took the place of a cancelled one is taken for it',
    file: 'electron/server/modules/reports/report-drafts.ts',
    find: '&& reportId === (shown.reportId ?? reportId)',
    replace: '&& reportId !== ""',
    tests: 'electron/server/modules/reports/report-writing.test.ts',
  },
  {
    promise: 'P-REP-03',
    what: 'the delivery is put on its way before the signature is committed',
    file: 'electron/server/modules/reports/report-signing.ts',
    find: 'addOutboxJob(database, { kind: type, subject, lane: studyId, payload: { eventId, reportId }, at })',
    replace:
      'setImmediate(() => addOutboxJob(database, { kind: type, subject, lane: studyId, payload: { eventId, reportId }, at }))',
    tests: 'electron/server/modules/reports/report-signing.test.ts',
  },
  {
    promise: 'P-REP-04',
    what: 'what changed while the PDF was rendered is not looked at again',
    file: 'electron/server/modules/reports/report-signing.ts',
    find: 'if (JSON.stringify(current.input) !== JSON.stringify(prepared.input)) return undefined',
    replace: '',
    tests: 'electron/server/modules/reports/report-signing.test.ts',
  },
  {
    promise: 'P-REP-06',
    what: 'whoever may write may sign',
    file: 'electron/server/modules/reports/report-signing.ts',
    find: 'if (!user?.canCreateReports || user.deactivatedAt !== null)',
    replace: 'if (!user || user.deactivatedAt !== null)',
    tests: 'electron/server/modules/reports/report-signing.test.ts',
  },
  {
    promise: 'P-REP-07',
    what: 'an error can be acknowledged like a warning',
    file: 'electron/server/modules/reports/report-signing.ts',
    find: "findings.some(({ check, level }) => level === 'error' || !request.acknowledged.includes(check))",
    replace: 'findings.some(({ check }) => !request.acknowledged.includes(check))',
    tests: 'electron/server/modules/reports/report-signing.test.ts',
  },
  {
    promise: 'P-REP-16',
    what: 'an override stays good when the images differ in something else',
    file: 'electron/server/modules/studies/study-identity.ts',
    find: 'if (!override || !isSameDifferences(override.differences, differences))',
    replace: 'if (!override)',
    tests: 'electron/server/modules/reports/identity-override.test.ts',
  },
  {
    promise: 'P-REP-17',
    what: 'a report is delivered over a mismatch',
    file: 'electron/server/modules/reports/report-destinations.ts',
    find: "if (isStudyMismatched(database, studyInstanceUid)) return { whyNot: message('reports.held-by-mismatch') }",
    replace:
      "if (isStudyMismatched(database, studyInstanceUid)) void message('reports.held-by-mismatch')",
    tests: 'electron/server/modules/reports/identity-override.test.ts',
  },
  {
    promise: 'P-REP-13',
    what: 'a critical result that was communicated is not recorded',
    file: 'electron/server/modules/reports/report-signing.ts',
    find: 'if (current.part.finding !== null)',
    replace: 'if (current.part.finding !== null && !current.part.communication)',
    tests: 'electron/server/modules/reports/report-signing.test.ts',
  },
  {
    promise: 'P-REP-20',
    what: 'a study needs an addendum although the correction was undone',
    file: 'electron/server/database/migrations/0018-needed-addenda.ts',
    find: 'and c.undoes is null and c.undoneAt is null',
    replace: 'and c.undoes is null',
    tests: 'electron/server/database/migrations/0018-needed-addenda.test.ts',
  },
  {
    promise: 'P-REP-09',
    what: 'the PDF of an addendum is without the addenda before it',
    file: 'electron/server/modules/reports/report-signing.ts',
    find: 'const parts = [...earlier.map(',
    replace: 'const parts = [...earlier.slice(0, 1).map(',
    tests: 'electron/server/modules/reports/report-signing.test.ts',
  },
  {
    promise: 'P-REP-08',
    what: 'a report is taken from a colleague without being told to',
    file: 'electron/server/modules/reports/report-writing.ts',
    find: "if (!takeOver && refusal !== undefined) throw new ApiError('refused', refusal)",
    replace:
      "if (!takeOver && refusal !== undefined && draft) throw new ApiError('refused', refusal)",
    tests: 'electron/server/modules/reports/report-writing.test.ts',
  },
  {
    promise: 'P-REP-10',
    what: 'the patient stands on the first page of the PDF alone',
    file: 'electron/server/modules/reports/report-pdf.ts',
    find: `      if (number > 1) this.#head()
      this.#foot(number, count)`,
    replace: `      if (number > 1) this.#head()
      else this.#foot(number, count)`,
    tests: 'electron/server/modules/reports/report-pdf.test.ts',
  },
  {
    promise: 'P-REP-10',
    what: 'the PDF names the patient in its title',
    file: 'electron/server/modules/reports/report-pdf.ts',
    find: `function documentOf({ paper, studyDescription, reportId, parts }: ReportPdfInput) {
  const last`,
    replace: `function documentOf({ paper, metadata, reportId, parts }: ReportPdfInput) {
  const studyDescription = JSON.stringify(metadata.patientName)
  const last`,
    tests: 'electron/server/modules/reports/report-pdf.test.ts',
  },
  {
    promise: 'P-REP-12',
    what: 'a link to a PDF has no end',
    file: 'electron/server/modules/reports/pdf-links.ts',
    find: ' && Number(expires) * 1000 > context.clock()',
    replace: '',
    tests: 'electron/server/modules/reports/pdf-links.test.ts',
  },
  {
    promise: 'P-REP-12',
    what: 'the signature of a link is not of its report',
    file: 'electron/server/modules/reports/pdf-links.ts',
    find: '.update(`GET\\n${path}\\n${expires}`)',
    replace: '.update(`GET\\n${expires}`)',
    tests: 'electron/server/modules/reports/pdf-links.test.ts',
  },
  {
    promise: 'P-REP-07',
    what: 'checks do not compare the patient with whom the report was begun for',
    file: 'electron/server/modules/reports/report-signing.ts',
    find: 'patientAtOpening: draft?.snapshotMetadata,',
    replace: 'patientAtOpening: detail.reportMetadata,',
    tests: 'electron/server/modules/reports/report-signing.test.ts',
  },
])
