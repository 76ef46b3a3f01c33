import { ofArea } from './fault.ts'

const dimse = 'electron/gateway/dimse'

export default ofArea('LIM', [
  {
    promise: 'P-LIM-03',
    what: 'associations of one device are not limited',
    file: `${dimse}/admission.ts`,
    find: 'if (ofCaller >= limits.associationsPerCaller) {',
    replace: 'if (ofCaller >= limits.associations) {',
    tests: `${dimse}/server.test.ts`,
  },
  {
    promise: 'P-LIM-03',
    what: 'an association beyond the limit is refused for good',
    file: `${dimse}/admission.ts`,
    find: 'if (all >= limits.associations) return { result: 2, source: 3, reason: 2,',
    replace: 'if (all >= limits.associations) return { result: 1, source: 3, reason: 2,',
    tests: `${dimse}/server.test.ts`,
  },
  {
    promise: 'P-LIM-02',
    what: 'a PDU of any length is waited for',
    file: `${dimse}/pdu-reader.ts`,
    find: 'if (length > most) throw new PduFault',
    replace: 'if (length > most * 1000) throw new PduFault',
    tests: `${dimse}/pdu-reader.test.ts`,
  },
  {
    promise: 'P-LIM-04',
    what: 'connections that never ask are kept',
    file: `${dimse}/server.ts`,
    find: '    refuseSurplus()\n',
    replace: '',
    tests: `${dimse}/server.test.ts`,
  },
  {
    promise: 'P-DIM-02',
    what: 'a device that is switched off is served where strangers are',
    file: 'electron/gateway/association-policy.ts',
    find: 'if (!isOff && isNamed && !isOfTls',
    replace: 'if (isNamed && !isOfTls',
    tests: 'electron/gateway/association-policy.test.ts',
  },
  {
    promise: 'P-DIM-01',
    what: 'a stranger who asks for more than an echo is accepted',
    file: 'electron/gateway/association-policy.ts',
    find: 'if (abstractSyntaxes.every((uid) => FOR_EVERYONE.includes(uid)))',
    replace: 'if (abstractSyntaxes.some((uid) => FOR_EVERYONE.includes(uid)))',
    tests: 'electron/gateway/association-policy.test.ts',
  },
  {
    promise: 'P-DIM-10',
    what: 'a device that has to show its certificate need not',
    file: 'electron/gateway/association-policy.ts',
    find: 'const why = device && certificateFault(device, request.tls)',
    replace: 'const why = device && request.tls ? certificateFault(device, request.tls) : undefined',
    tests: 'electron/gateway/association-policy.test.ts',
  },
  {
    promise: 'P-DIM-09',
    what: 'DICOM over TLS takes a suite without authenticated encryption',
    file: `${dimse}/tls-profile.ts`,
    find: "ECDHE-RSA-AES128-GCM-SHA256',",
    replace: "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256',",
    tests: `${dimse}/tls-listener.test.ts`,
  },
])
