import { ofArea } from './fault.ts'

const contract = 'shared/contract'

export const viewing = ofArea('VIE', [
  {
    promise: 'P-VIE-01',
    what: 'a link to the viewer opens more than once',
    file: 'electron/server/modules/viewer/links.ts',
    find: "if (link.usedAt !== null) return 'used'",
    replace: '',
    tests: 'electron/server/modules/viewer/links.test.ts',
  },
  {
    promise: 'P-VIE-02',
    what: 'the link of an ephemeral session is good as long as any other',
    file: 'electron/server/modules/viewer/links.ts',
    find: 'ephemeral ? EPHEMERAL_LIFETIME_SECONDS * 1000 : ',
    replace: '',
    tests: 'electron/server/modules/viewer/links.test.ts',
  },
  {
    promise: 'P-VIE-03',
    what: 'a link opens a study that was cancelled since',
    file: 'electron/server/modules/viewer/links.ts',
    find: "if (studyId !== null && findStudy(context.database, studyId)?.cancelledAt !== null) return 'cancelled'",
    replace: '',
    tests: 'electron/server/modules/viewer/links.test.ts',
  },
  {
    promise: 'P-VIE-03',
    what: 'a link outlives the key that gave it',
    file: 'electron/server/modules/viewer/links.ts',
    find: 'if (createdByApiKeyId !== null && findApiKey(database, createdByApiKeyId)?.revokedAt !== null)',
    replace:
      "if (createdByApiKeyId === '' && findApiKey(database, createdByApiKeyId)?.revokedAt !== null)",
    tests: 'electron/server/modules/viewer/links.test.ts',
  },
  {
    promise: 'P-VIE-04',
    what: 'the cookie of one view opens another',
    file: 'electron/server/modules/viewer/sessions.ts',
    find: 'if (view?.tokenHash !== hashToken(token)) return undefined',
    replace: "if (!view || token === '') return undefined",
    tests: 'electron/server/modules/viewer/sessions.test.ts',
  },
])

export const users = ofArea('USR', [
  {
    promise: 'P-USR-10',
    what: 'a session never locks by itself',
    file: 'electron/server/modules/users/sessions.ts',
    find: 'const isLocked = session.lockedAt !== null || isIdle(context, session, now)',
    replace: 'const isLocked = session.lockedAt !== null',
    tests: 'electron/server/modules/users/people.test.ts',
  },
  {
    promise: 'P-USR-10',
    what: 'what a window asks by itself keeps it open',
    file: 'electron/server/modules/users/sessions.ts',
    find: "if (!isLocked && use === 'person' && ",
    replace: 'if (!isLocked && ',
    tests: [
      'electron/server/modules/users/people.test.ts',
      'electron/server/modules/users/security-routes.test.ts',
    ],
  },
  {
    promise: 'P-USR-11',
    what: 'a session that has ended comes back where the clock is set back',
    file: 'electron/server/modules/users/sessions.ts',
    find: `      writeOrBuffer(context, session, { isOver: true }, () => deleteSession(context, session))
      return undefined
    }
    const user`,
    replace: `      return undefined
    }
    const user`,
    tests: 'electron/server/modules/users/people.test.ts',
  },
  {
    promise: 'P-USR-06',
    what: 'guesses wait no longer than the first time',
    file: 'electron/server/modules/users/sign-in-throttle.ts',
    find: '1000 * 2 ** Math.min(20, failures - FAILURES_WITHOUT_DELAY)',
    replace: '1000 * 2',
    tests: 'electron/server/modules/users/people.test.ts',
  },
  {
    promise: 'P-USR-06',
    what: 'wrong passwords are counted, and a right one is taken all the same',
    file: 'electron/server/modules/users/people.ts',
    find: `    countAttempt(context, account)
    const user = queries.userByEmail(database, email)
    const isCorrect = await passwords.verify(password, user?.passwordHash ?? undefined, host)
    // Read again, because the account may have changed in the meantime.
    const now = user && queries.findUser(database, user.userId)
    if (isCorrect && now?.passwordHash === user?.passwordHash && now?.deactivatedAt === null) {
      resetAttempts(context, account)
      return now
    }
`,
    replace: `    const user = queries.userByEmail(database, email)
    const isCorrect = await passwords.verify(password, user?.passwordHash ?? undefined, host)
    // Read again, because the account may have changed in the meantime.
    const now = user && queries.findUser(database, user.userId)
    if (isCorrect && now?.passwordHash === user?.passwordHash && now?.deactivatedAt === null) {
      resetAttempts(context, account)
      return now
    }
    countAttempt(context, account)
`,
    tests: 'electron/server/modules/users/people.test.ts',
  },
  {
    promise: 'P-USR-13',
    what: 'a code of the second factor can be used again',
    file: 'electron/server/modules/users/second-factor.ts',
    find: 'if (step !== undefined && step > (record.lastStep ?? -1)) {',
    replace: 'if (step !== undefined) {',
    tests: 'electron/server/modules/users/second-factor.test.ts',
  },
  {
    promise: 'P-USR-13',
    what: 'the second factor is asked for only where a code was sent',
    file: 'electron/server/modules/users/people.ts',
    find: 'if (isCodeRequired) requireCode(context, user.userId, code)',
    replace: 'if (isCodeRequired && code) requireCode(context, user.userId, code)',
    tests: [
      'electron/server/modules/users/second-factor.test.ts',
      'electron/server/modules/users/people.test.ts',
    ],
  },
  {
    promise: 'P-USR-14',
    what: 'a change needs no header of our own script (CSRF)',
    file: 'electron/server/http/session-authentication.ts',
    find: "if (request.headers[CSRF_HEADER] !== '1') throw",
    replace: "if (request.headers[CSRF_HEADER] === '0') throw",
    tests: 'electron/server/http/operations.test.ts',
  },
  {
    promise: 'P-USR-14',
    what: 'a page of a sibling site counts as ours',
    file: 'electron/server/http/session-authentication.ts',
    find: "site === 'cross-site' || site === 'same-site'",
    replace: "site === 'cross-site'",
    tests: 'electron/server/http/operations.test.ts',
  },
  {
    promise: 'P-USR-15',
    what: 'scripts can read the cookie of a session',
    file: 'electron/server/http/session-authentication.ts',
    find: "httpOnly: true, sameSite: 'strict', path: '/', secure",
    replace: "httpOnly: false, sameSite: 'strict', path: '/', secure",
    tests: 'electron/server/http/session-authentication.test.ts',
  },
  {
    promise: 'P-USR-02',
    what: 'a member manages the gateway',
    file: 'electron/server/http/session-authentication.ts',
    find: "user.hasDashboardAccess && (user.level === 'owner' || user.level === 'admin')",
    replace: 'user.hasDashboardAccess && user.level.length > 0',
    tests: 'electron/server/modules/dashboard/permissions.test.ts',
  },
  {
    promise: 'P-USR-03',
    what: 'a member who is linked to customers sees studies of none',
    file: 'electron/server/modules/studies/study-access.ts',
    find: 'customers.some((expressCustomerId) => expressCustomerId === study.expressCustomerId)',
    replace: '(study.expressCustomerId === null || customers.includes(study.expressCustomerId))',
    tests: [
      'electron/server/modules/studies/study-access.test.ts',
      'electron/server/modules/studies/studies.test.ts',
    ],
  },
  {
    promise: 'P-USR-04',
    what: 'sessions go on after access was revoked',
    file: 'electron/server/modules/users/users.ts',
    find: `        queries.updateUser(database, { ...user, deactivatedAt: at, updatedAt: at })
        endSessionsOf(context, userId)`,
    replace: '        queries.updateUser(database, { ...user, deactivatedAt: at, updatedAt: at })',
    tests: 'electron/server/modules/users/users.test.ts',
  },
  {
    promise: 'P-USR-04',
    what: 'links of a person stay open after access was revoked',
    file: 'electron/server/modules/users/users.ts',
    find: '        revokeLinksOf(database, userId, at)\n',
    replace: '',
    tests: [
      'electron/server/modules/users/users.test.ts',
      'electron/server/modules/viewer/links.test.ts',
    ],
  },
  {
    promise: 'P-USR-05',
    what: 'the last owner can become a member',
    file: 'electron/server/modules/users/users.ts',
    find: "if (isLastOwner(context, before) && after.level !== 'owner') throw",
    replace: "if (isLastOwner(context, before) && after.level === 'admin') throw",
    tests: 'electron/server/modules/users/users.test.ts',
  },
  {
    promise: 'P-USR-16',
    what: 'an invitation can be accepted after it was withdrawn',
    file: 'electron/server/modules/users/users.ts',
    find: "status === 'sent' && (expiry === null || expiry > now)",
    replace: "status !== 'accepted' && (expiry === null || expiry > now)",
    tests: 'electron/server/modules/users/invitations.test.ts',
  },
  {
    promise: 'P-USR-16',
    what: 'the link before a renewed one still opens the invitation',
    file: 'electron/server/modules/users/invitations.ts',
    find: 'const invitation = { ...before, tokenHash: hashToken(token), updatedAt: at }',
    replace: 'const invitation = { ...before, updatedAt: at }',
    tests: 'electron/server/modules/users/invitations.test.ts',
  },
  {
    promise: 'P-USR-19',
    what: 'a host name that only begins like ours is answered',
    file: 'electron/server/http/host-names.ts',
    find: 'own !== undefined && plainName(own) === name)',
    replace: 'own !== undefined && name.startsWith(plainName(own)))',
    tests: 'electron/server/http/host-names.test.ts',
  },
  {
    promise: 'P-USR-21',
    what: 'a key makes an administrator of the gateway',
    file: 'electron/server/modules/users/users.ts',
    find: "return caller.kind === 'user' ? { ...after, level, interfaceLevel: level } :",
    replace: 'return caller.kind.length > 0 ? { ...after, level, interfaceLevel: level } :',
    tests: 'electron/server/modules/users/users.test.ts',
  },
  {
    promise: 'P-USR-21',
    what: 'a key takes the access of an administrator',
    file: 'electron/server/modules/users/users.ts',
    find: "if (caller.kind === 'api-key' && level !== 'member')",
    replace: "if (caller.kind === 'api-key' && level === 'owner')",
    tests: 'electron/server/modules/users/users.test.ts',
  },
  {
    promise: 'P-USR-22',
    what: 'a key is made by a window that was signed in long ago',
    file: 'electron/server/modules/users/sessions.ts',
    find: 'Math.abs(clock() - msOf(confirmedAt)) < CONFIRMATION_LIFETIME_MS',
    replace: 'clock() >= msOf(confirmedAt)',
    tests: 'flows/interface/authority.test.ts',
    project: 'flows',
  },
  {
    promise: 'P-USR-23',
    what: 'a member who is linked to customers sees the exams of every patient',
    file: 'electron/server/http/session-authentication.ts',
    find: "if (access === 'every-patient' && sessions.isLimited(user))",
    replace: "if (access === 'every-patient' && !user.hasDashboardAccess)",
    tests: 'flows/interface/authority.test.ts',
    project: 'flows',
  },
  {
    promise: 'P-USR-02',
    what: 'every user may change the settings',
    file: `${contract}/dashboard.ts`,
    find: `operation('PATCH /dashboard/settings', {
    access: 'manage-confirmed',`,
    replace: `operation('PATCH /dashboard/settings', {
    access: 'signed-in',`,
    tests: 'electron/server/modules/dashboard/permissions.test.ts',
  },
  {
    promise: 'P-USR-22',
    what: 'an API key can be made without a recent sign-in',
    file: `${contract}/dashboard-people.ts`,
    find: `operation('POST /dashboard/api-keys', {
    access: 'manage-confirmed',`,
    replace: `operation('POST /dashboard/api-keys', {
    access: 'manage',`,
    tests: 'electron/server/modules/dashboard/permissions.test.ts',
  },
  {
    promise: 'P-USR-23',
    what: 'the exams of every patient are open to a member who is linked to customers',
    file: `${contract}/dashboard-exams.ts`,
    find: `operation('GET /dashboard/worklist/exams', {
    access: 'every-patient',`,
    replace: `operation('GET /dashboard/worklist/exams', {
    access: 'signed-in',`,
    tests: 'electron/server/modules/dashboard/permissions.test.ts',
  },
  {
    promise: 'P-USR-10',
    what: 'an open window keeps its session awake with the calls that it repeats',
    file: `${contract}/dashboard.ts`,
    find: `operation('GET /dashboard/status', {
    access: 'signed-in',
    background: true,`,
    replace: `operation('GET /dashboard/status', {
    access: 'signed-in',`,
    tests: 'electron/server/modules/dashboard/permissions.test.ts',
  },
])
