import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Iniciar sesión',
  claim: 'El paso entre sus dispositivos de imagen y su socio.',
  foot: 'Pasarela de imágenes de esta clínica',
  language: 'Idioma',
  email: 'Correo electrónico',
  password: 'Contraseña',
  code: 'Código de su autenticador',
  codeAbout: 'Seis dígitos, o uno de los códigos que guardó para cuando se pierda.',
  back: 'Otra cuenta',
  submit: 'Iniciar sesión',
  help: '¿Olvidó la contraseña? En este PC, un administrador crea un enlace de un solo uso con:',
  command: 'npm run -s gateway -- sign-in-link --data DIR',
  following: 'Iniciando sesión con el enlace de un solo uso…',
  linkFailed: 'Este enlace no se puede usar',
  linkHelp:
    'Un enlace sirve una sola vez y por poco tiempo. Cree otro, o inicie sesión con su contraseña.',
  toSignIn: 'Iniciar sesión con contraseña',
  workstation: {
    title: 'Este puesto aún no está aprobado',
    documentTitle: 'Puesto',
    about:
      'La ventana se abre en un puesto cuando un propietario o administrador lo ha aprobado. Se hace una vez por navegador.',
    name: 'Nombre de este puesto',
    nameAbout: 'Como lo conocen las personas, para distinguirlo de otros.',
    nameExample: 'p. ej. Sala de informes 2',
    ask: 'Pedir aprobación',
    asking: 'Esperando la aprobación',
    code: 'Código de este puesto',
    compare:
      'Un propietario o administrador abre Ajustes, Acceso desde otros PC, busca este código y lo aprueba.',
    goesOn: 'Esta página continúa sola en cuanto se apruebe.',
    known: (name) => `Lo pide como ${name}.`,
  },
}
