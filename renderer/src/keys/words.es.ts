import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Claves de API',
  about:
    'Con ellas los socios llaman a la interfaz. Dé a cada sistema su propia clave, para poder anular una sin las demás.',
  add: 'Crear una clave',
  none: 'Todavía no hay claves',
  noneText: 'Un socio necesita una clave para llamar a la interfaz de esta pasarela.',
  columns: {
    description: 'La usa',
    key: 'Clave',
    reach: 'Alcanza',
    made: 'Creada',
    used: 'Último uso',
    actions: 'Acciones',
  },
  scopes: { self: 'Los estudios que creó', all: 'Todos los estudios' },
  viewer: 'y el área del visor',
  managesPeople: 'gestiona personas',
  revoked: 'Revocada',
  old: (last4) => `…${last4} aún abre hasta`,
  rotated: 'sustituida',
  rotate: (name) => `Sustituir la clave de ${name}`,
  revoke: (name) => `Revocar la clave de ${name}`,
  form: {
    title: 'Crear una clave',
    description: ['La usa', 'El sistema que la usará, por ejemplo «RIS en la nube, producción».'],
    scope: ['Estudios', 'Los estudios que creó: para esta clave no existen los de otros sistemas.'],
    viewer: ['Puede usar el área del visor', 'Hace falta para abrir estudios en el visor.'],
    people: [
      'Puede gestionar personas',
      'Invitar, cambiar y bloquear personas y vincularlas a clientes. Pocos sistemas lo necesitan: quien tenga esta clave puede dar acceso. Nunca nombra a un administrador.',
    ],
    submit: 'Crear la clave',
    cancel: 'Cancelar',
  },
  people: {
    allow: (name) => `Permitir que ${name} gestione personas`,
    end: (name) => `Dejar de permitir que ${name} gestione personas`,
    allowing: {
      title: '¿Permitir que esta clave gestione personas?',
      text: (name) =>
        `${name} podrá invitar, cambiar y bloquear personas y vincularlas a clientes. Nunca nombra a un administrador de la pasarela.`,
      action: 'Permitir',
      done: (name) => `${name} puede gestionar personas.`,
    },
    ending: {
      title: '¿Dejar de permitir que esta clave gestione personas?',
      text: (name) =>
        `${name} ya no podrá invitar, cambiar ni bloquear personas. Lo que hizo se conserva.`,
      action: 'Retirar el permiso',
      done: (name) => `${name} ya no puede gestionar personas.`,
    },
  },
  shown: {
    title: 'La clave, una sola vez',
    about: 'Cópiela ahora en el socio: aquí no se guarda y no se puede mostrar de nuevo.',
    done: 'Ya la copié',
  },
  theKey: 'la clave',
  never: 'nunca',
  masked: (last4) => `sk_live_…${last4}`,
  rotateTitle: '¿Sustituir esta clave?',
  rotateText:
    'El sistema recibe una clave nueva. La anterior sigue sirviendo el tiempo que usted elija, para poder hacer el cambio.',
  overlap: 'La clave anterior sirve durante (horas)',
  rotateAction: 'Sustituir la clave',
  revokeTitle: '¿Revocar esta clave?',
  revokeText: (name) =>
    `${name} ya no puede llamar a la interfaz, desde este momento. Lo que creó se conserva. No se puede deshacer.`,
  revokeAction: 'Revocar la clave',
  revokedDone: (name) => `La clave de ${name} está revocada.`,
}
