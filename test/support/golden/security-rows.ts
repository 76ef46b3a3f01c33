import { GOLDEN_AT as at, goldenSeal, type Rows, tokenHash } from './clinic.ts'

/** Schema 7: second factors and workstations. */
export function securityRows(): Rows {
  return {
    passwordChanges: [{ userId: 'usr_1', at }],
    secondFactors: [
      {
        userId: 'usr_1',
        since: at,
        lastStep: 58_000_000,
        sealedSecret: goldenSeal('JBSWY3DPEHPK3PXP', 'second factor usr_1'),
      },
    ],
    secondFactorCodes: [{ userId: 'usr_1', codeHash: tokenHash('code') }],
    workstations: [
      {
        ...{
          workstationId: 'w1',
          tokenHash: tokenHash('workstation'),
          name: 'Reading room',
          code: 'AB12',
          address: '10.0.3.20',
        },
        ...{ browser: 'Firefox', askedAt: at, approvedAt: at, approvedByUserId: 'usr_1' },
      },
    ],
  }
}
