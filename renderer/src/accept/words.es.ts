import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Su invitación',
  foot: 'Invitación',
  invites: (by, clinic) =>
    `${by} le invita a trabajar con ${clinic || 'la pasarela de imágenes de esta clínica'}.`,
  hello: (name) => `Hola, ${name}.`,
  as: (role) => `Su función: ${role}. Inicia sesión con`,
  asNobody: 'Inicia sesión con',
  until: 'La invitación es válida hasta',
  password: 'Elija una contraseña',
  passwordAbout: 'Al menos 10 caracteres. Lo mejor son unas cuantas palabras seguidas.',
  accept: 'Aceptar e iniciar sesión',
  reject: 'Rechazar la invitación',
  rejectTitle: '¿Rechazar esta invitación?',
  rejectText:
    'El enlace dejará de funcionar. Quien le invitó verá que la rechazó y puede invitarle de nuevo.',
  rejected: 'Ha rechazado la invitación',
  rejectedText: 'No se abrió ninguna cuenta. Puede cerrar esta ventana.',
  accepted: 'Su cuenta está lista',
  acceptedText:
    'No tiene acceso a esta ventana: la clínica le envía enlaces a los estudios que usted lee. Puede cerrar esta ventana.',
  failed: 'Este enlace no se puede usar',
  failedHelp:
    'Una invitación se acepta una sola vez y dura 30 días. Si ya la aceptó, inicie sesión; si no, pida otro enlace a quien le invitó.',
  linkNeeded:
    'Abra otra vez el enlace completo de su invitación: por su seguridad, esta ventana no lo guarda.',
  toSignIn: 'Ir al inicio de sesión',
}
