import { inLanguage } from '../language/words.ts'
import { es } from './audit-actions.es.ts'

/** What the audit trail calls each act, as people say it, by what it is about. */
const en = {
  access: {
    name: 'Signing in',
    acts: {
      'user.sign-in': 'Signed in',
      'user.sign-in-failed': 'Sign-in failed',
      'user.sign-out': 'Signed out',
      'session.lock': 'Window locked',
      'session.unlock': 'Window unlocked',
      'session.end': 'Session ended',
      'user.set-password': 'Password set',
      'second-factor.begin': 'Second factor: set-up begun',
      'second-factor.on': 'Second factor switched on',
      'second-factor.off': 'Second factor switched off',
      'second-factor.recover': 'Signed in with a recovery code',
      'workstation.ask': 'Workstation asked for access',
      'workstation.approve': 'Workstation approved',
      'workstation.refuse': 'Workstation refused',
      'workstation.rename': 'Workstation renamed',
      'workstation.remove': 'Workstation removed',
    },
  },
  people: {
    name: 'People and customers',
    acts: {
      'user.create': 'Person added',
      'user.invite': 'Person invited',
      'user.update': 'Person changed',
      'user.revoke-access': 'Access withdrawn',
      'user.reactivate': 'Access given back',
      'invitation.update': 'Invitation changed',
      'invitation.renew': 'Invitation sent again',
      'invitation.accept': 'Invitation accepted',
      'invitation.reject': 'Invitation declined',
      'invitation.revoke': 'Invitation withdrawn',
      'customer.create': 'Express customer added',
      'customer.update': 'Express customer changed',
      'customer.deactivate': 'Express customer deactivated',
      'customer.reactivate': 'Express customer reactivated',
      'customer.add-user': 'Person added to an Express customer',
      'customer.remove-user': 'Person removed from an Express customer',
      'organization.create': 'Organization added',
    },
  },
  devices: {
    name: 'Devices and worklist',
    acts: {
      'device.add': 'Device added',
      'device.update': 'Device changed',
      'device.remove': 'Device removed',
      'caller.dismiss': 'Unknown caller dismissed',
      'step.close': 'Exam closed on the worklist',
      'step.reopen': 'Exam reopened on the worklist',
      'downtime.start': 'Downtime mode started',
      'downtime.end': 'Downtime mode ended',
    },
  },
  images: {
    name: 'Images',
    acts: {
      'images.acknowledge-mismatch': 'Difference of patient or exam acknowledged',
      'instance.release': 'Image released from quarantine',
      'instance.discard': 'Image discarded from quarantine',
      'instances.release': 'Images released from quarantine',
      'instances.discard': 'Images discarded from quarantine',
      'destination.add': 'Destination added',
      'destination.update': 'Destination changed',
      'destination.remove': 'Destination removed',
      'destination.find-priors': 'Searched an archive for earlier studies',
      'destination.pull': 'Study fetched from an archive',
      'forward.send': 'Study sent to a destination',
      'forward.retry': 'Sending tried again',
      'forward.drop': 'Sending given up',
      'forward.replace': 'A newer version took the place of images to be sent',
      'forward.set-aside': 'Sending stopped: images were set aside',
      'view.open': 'Images opened',
      'view.prior': 'Images of an earlier study opened',
      'capture.make': 'Capture made in the viewer',
      'capture.retry': 'Capture: upload tried again',
    },
  },
  studies: {
    name: 'Studies and reports',
    acts: {
      'study.create': 'Study added',
      'study.update': 'Study changed',
      'study.cancel': 'Study cancelled',
      'study.uncancel': 'Study no longer cancelled',
      'study.seed': 'Study added for images that came',
      'study.enrich': 'Study completed from the partner’s answer',
      'reading.open': 'Study opened for reading',
      'reading.ask-again': 'Clinical context asked for again',
      'report.begin': 'Report begun',
      'report.take-over': 'Report taken over',
      'report.sign': 'Report signed',
      'report.start-addendum': 'Addendum begun',
      'report.cancel-addendum': 'Addendum given up',
      'report.pdf-link': 'Link to a report’s PDF made',
      'report.archive': 'Report kept as DICOM objects',
      'report.send': 'Report sent to a destination',
      'critical.communicate': 'Critical result communicated',
      'template.add': 'Template added',
      'template.change': 'Template changed',
      'template.remove': 'Template removed',
      'link.mint': 'Link made',
      'link.open': 'Link followed',
      'link.refused': 'Link refused',
      'saved-view.add': 'View of a list saved',
      'saved-view.change': 'Saved view changed',
      'saved-view.remove': 'Saved view removed',
    },
  },
  partner: {
    name: 'Partner and events',
    acts: {
      'partner.set': 'Partner set',
      'endpoint.add': 'Endpoint added',
      'endpoint.change': 'Endpoint changed',
      'endpoint.remove': 'Endpoint removed',
      'endpoint.rotate-secret': 'Signing secret changed',
      'endpoint.switch-off': 'Endpoint switched off by the gateway',
      'event.replay': 'Events sent again',
      'event.drop': 'Event given up',
      'api-key.create': 'API key made',
      'api-key.rotate': 'API key: new secret',
      'api-key.revoke': 'API key withdrawn',
    },
  },
  gateway: {
    name: 'Gateway',
    acts: {
      'setting.change': 'Setting changed',
      'mail.password': 'Mail password changed',
      'certificate.renew': 'Certificate renewed',
      'backup.make': 'Back-up made',
      'backup.remove': 'Back-up removed',
      'backup.rehearse': 'Back-up tried',
      'standby.note': 'Standby noted',
      'standby.forget': 'Standby given up',
      'diagnostics.save': 'Bundle for support saved',
      'restore.begin': 'Putting a back-up back begun',
      'database.restore': 'Back-up put back',
      'recovery-key.make': 'Recovery key made',
      'audit.verify': 'Audit trail verified',
      'audit.export': 'Audit trail exported',
    },
  },
} as const

export type English = typeof en
const words = inLanguage(en, es)

/** Acts in the groups of a menu: its name, then the act and its words. */
export const ACT_GROUPS: readonly { readonly name: string; readonly acts: readonly (readonly [action: string, text: string])[] }[] =
  Object.values(words).map(({ name, acts }) => ({ name, acts: Object.entries(acts) }))

const TEXTS = new Map(ACT_GROUPS.flatMap(({ acts }) => acts))

/** An act of the audit trail in words; undefined for one that is not of this version. */
export const actText = (action: string): string | undefined => TEXTS.get(action)
