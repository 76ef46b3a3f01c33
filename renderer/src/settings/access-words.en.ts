import { countText } from '../display/amounts.ts'

export const en = {
  title: 'Access from other PCs',
  about:
    'The window on the PCs of the clinic’s network, encrypted (HTTPS). Each PC is approved once; its people then sign in as here.',
  lan: {
    title: 'Access',
    on: 'Open to other PCs',
    isOn: 'Open',
    isOff: 'Closed',
    isDown: 'Not open',
    whatOn:
      'PCs of the network reach the window and the interface at these addresses. A PC that nobody has approved only gets to ask.',
    whatOff:
      'Only this PC shows the window. Opening it lets reading rooms and the front desk work on their own PCs: patient data then crosses the network, encrypted.',
    open: 'Open the window to other PCs?',
    openAction: 'Open access',
    keepClosed: 'Leave it closed',
    openTexts: [
      'Every device in the network of this PC then reaches the page on which a PC asks for approval, links to studies, and the interface for partners.',
      'Patient data then crosses the network, encrypted by HTTPS. A PC works with the window only after you have approved it here.',
      'Let the port through the firewall for the clinic’s network only, and have people set up two-factor authentication.',
    ],
    close: 'Close access?',
    closeAction: 'Close access',
    closeText:
      'Whoever works in the window on another PC is cut off at once. Partner systems that call by HTTPS are cut off too.',
    keep: 'Leave it open',
    host: 'Address to listen at',
    hostAbout: '0.0.0.0 is every address of this PC.',
    port: 'TCP port',
    apply: 'Apply',
    listensAt: 'Where it listens',
  },
  addresses: {
    title: 'Addresses to type',
    about: 'In the browser of the other PC, or scan the code with a tablet.',
    qr: (url: string) => `QR code of ${url}`,
    firewall:
      'If no address answers, the firewall of this PC keeps the port closed: let it in for the network of the clinic only.',
  },
  fingerprint: {
    title: 'Fingerprint of the certificate',
    about:
      'The browser of the other PC warns once, since the certificate was made here and no public authority knows it. Before going on there, open the certificate from the warning and compare its SHA-256 fingerprint with this one.',
  },
  asking: {
    title: 'PCs that ask',
    about: 'Approve one only where its screen shows the same six characters.',
    none: 'No PC asks at the moment',
    noneText:
      'Open one of the addresses on the other PC, give it a name there and press the button: it then appears here.',
    noneOff: 'Once access is open, PCs that want the window appear here.',
    name: 'Name',
    code: 'Code',
    from: (address: string) => `from ${address}`,
    approve: 'Approve',
    refuse: 'Refuse',
    approved: (name: string) => `${name} is approved.`,
    refused: 'The PC was refused.',
  },
  approved: {
    title: 'Approved PCs',
    none: 'No PC is approved yet',
    columns: {
      name: 'PC',
      address: 'Address',
      browser: 'Browser',
      approved: 'Approved by',
      seen: 'Last seen',
      actions: 'Actions',
    },
    remove: (name: string) => `Remove ${name}`,
    removeTitle: 'Remove this PC?',
    removeAction: 'Remove PC',
    removeText: (name: string) => `Sessions at ${name} end at once, and it has to ask anew.`,
    keep: 'Keep it',
    count: (count: number) => countText(count, 'PC', 'PCs'),
  },
  sessions: {
    title: 'Who is signed in',
    about: 'Sessions of everybody, wherever they are.',
    columns: {
      who: 'Person',
      place: 'Where',
      browser: 'Browser',
      since: 'Since',
      used: 'Last used',
      state: 'State',
      actions: 'Actions',
    },
    isThis: 'This window',
    open: 'Open',
    locked: 'Locked',
    lockedMeaning: 'It opens nothing until its person gives the password.',
    end: (name: string) => `End the session of ${name}`,
    ended: (name: string) => `The session of ${name} has ended.`,
  },
} as const

export type English = typeof en
