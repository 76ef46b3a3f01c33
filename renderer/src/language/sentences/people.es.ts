import type { Sentence } from '../catalogue.ts'

export const PEOPLE: readonly Sentence[] = [
  ['Nobody is signed in here.', 'Nadie ha iniciado sesión aquí.'],
  ['The cursor is not one of this list.', 'El cursor no es de esta lista.'],
  [
    'The window opens on this PC without being approved.',
    'La ventana se abre en este PC sin aprobación.',
  ],
  [
    'A workstation asks to open the window, code {}: approve or refuse it under Settings, Access from other PCs.',
    'Un puesto pide abrir la ventana, código {0}: apruébelo o rechácelo en Ajustes, Acceso desde otros PC.',
  ],
  ['There is no such user.', 'No existe ese usuario.'],
  [
    'This is not your password. Enter the one that you sign in with.',
    'Esta no es su contraseña. Escriba la que usa para iniciar sesión.',
  ],
  [
    'This is the password that you have. Choose another.',
    'Esta es la contraseña que ya tiene. Elija otra.',
  ],
  [
    'Only an owner may take the second factor off an owner’s account.',
    'Solo un propietario puede quitar el segundo factor de la cuenta de un propietario.',
  ],
  ['The session has ended. Sign in again.', 'La sesión ha terminado. Inicie sesión de nuevo.'],
  [
    'This is not the password of who is signed in.',
    'Esta no es la contraseña de quien ha iniciado sesión.',
  ],
  [
    'The password was wrong ten times, so the session has ended. Sign in again.',
    'La contraseña fue incorrecta diez veces, así que la sesión ha terminado. Inicie sesión de nuevo.',
  ],
  ['There is no such key.', 'No existe esa clave.'],
  ['The key was revoked: make a new one.', 'La clave se revocó: cree otra.'],
  [
    'Only an owner or an admin may change how the gateway works.',
    'Solo un propietario o administrador puede cambiar cómo funciona la pasarela.',
  ],
  [
    'Only an owner or an admin may manage users.',
    'Solo un propietario o administrador puede gestionar usuarios.',
  ],
  [
    'Only an owner or an admin may manage customers.',
    'Solo un propietario o administrador puede gestionar clientes.',
  ],
  [
    'Your account may not manage studies: an owner or an admin can allow it.',
    'Su cuenta no puede gestionar estudios: un propietario o administrador puede permitirlo.',
  ],
  [
    'Your account may not read studies: it has no access to the window.',
    'Su cuenta no puede leer estudios: no tiene acceso a la ventana.',
  ],
  [
    'Your account may not write reports: an owner or an admin can allow it.',
    'Su cuenta no puede redactar informes: un propietario o administrador puede permitirlo.',
  ],
  ['There is no such customer.', 'No existe ese cliente.'],
  [
    'The customer is deactivated: reactivate it first.',
    'El cliente está desactivado: reactívelo primero.',
  ],
  ['The user was linked to the customer already.', 'El usuario ya estaba vinculado al cliente.'],
  ['The user is linked to the customer.', 'El usuario está vinculado al cliente.'],
  ['The user is not linked to the customer.', 'El usuario no está vinculado al cliente.'],
  [
    'The user is not linked to the customer any more.',
    'El usuario ya no está vinculado al cliente.',
  ],
  ['There is no such invitation.', 'No existe esa invitación.'],
  [
    'A user or a pending invitation has this e-mail address.',
    'Un usuario o una invitación pendiente tiene esta dirección de correo.',
  ],
  [
    'This link is not one of this gateway, or was replaced by a newer one.',
    'Este enlace no es de esta pasarela, o se sustituyó por otro más nuevo.',
  ],
  ['This invitation {}.', 'Esta invitación {0}.'],
  [
    'The access that this invitation gives was taken away. Ask whoever invited you.',
    'El acceso que da esta invitación se retiró. Consulte a quien le invitó.',
  ],
  ['The invitation cannot be changed: it {}.', 'La invitación no se puede cambiar: {0}.'],
  ['The user has no invitation.', 'El usuario no tiene invitación.'],
  ['The invitation {}.', 'La invitación {0}.'],
  ['The invitation was revoked.', 'La invitación se revocó.'],
  ['There is no link to give: the invitation {}.', 'No hay enlace que dar: la invitación {0}.'],
  [
    'The user’s access was taken away: give it back first.',
    'El acceso del usuario se retiró: devuélvaselo primero.',
  ],
  [
    'The study is cancelled: uncancel it first.',
    'El estudio está cancelado: deshaga primero la cancelación.',
  ],
  [
    'No endpoint takes ephemeral.access_requested: the partner must be set up for it first.',
    'Ningún punto de conexión recibe ephemeral.access_requested: primero hay que configurar el socio para ello.',
  ],
  [
    'The partner that gave the link has no access any more.',
    'El socio que dio el enlace ya no tiene acceso.',
  ],
  ['Whoever gave the link has no access any more.', 'Quien dio el enlace ya no tiene acceso.'],
  [
    'The person whom the link is for has no access any more.',
    'La persona a la que va dirigido el enlace ya no tiene acceso.',
  ],
  [
    'The person whom the link is for may not create reports any more.',
    'La persona a la que va dirigido el enlace ya no puede crear informes.',
  ],
  ['This password is too short.', 'Esta contraseña es demasiado corta.'],
  ['This password is easily guessed.', 'Esta contraseña se adivina con facilidad.'],
  ['This password is used by many people.', 'Esta contraseña la usan muchas personas.'],
  [
    '{} Choose another, such as four words that do not belong together.',
    '{0} Elija otra, por ejemplo cuatro palabras que no tengan relación entre sí.',
  ],
  [
    'Too many people sign in at once. Try again in a moment.',
    'Demasiadas personas inician sesión a la vez. Inténtelo de nuevo en un momento.',
  ],
  ['Another user has this e-mail address.', 'Otro usuario tiene esta dirección de correo.'],
  [
    'The e-mail address or the password is wrong.',
    'La dirección de correo o la contraseña es incorrecta.',
  ],
  [
    'There is an account already: sign in, or make a sign-in link for it.',
    'Ya existe una cuenta: inicie sesión, o cree un enlace de inicio de sesión para ella.',
  ],
  ['The user has not accepted the invitation yet.', 'El usuario aún no ha aceptado la invitación.'],
  [
    'This link has been used or has expired. Ask for a new one.',
    'Este enlace se ha usado o ha caducado. Pida otro.',
  ],
  ['This account has no access to the window.', 'Esta cuenta no tiene acceso a la ventana.'],
  [
    'No authenticator is being set up. Begin again, and enter its code within 15 minutes.',
    'No se está configurando ningún autenticador. Empiece de nuevo e introduzca su código en 15 minutos.',
  ],
  [
    'This code is not right. Enter the six digits that your authenticator shows now.',
    'Este código no es correcto. Introduzca los seis dígitos que muestra ahora el autenticador.',
  ],
  ['Enter the six digits of your authenticator.', 'Introduzca los seis dígitos del autenticador.'],
  ['This code is not right or was used.', 'Este código no es correcto o ya se usó.'],
  ['This session has ended already.', 'Esta sesión ya ha terminado.'],
  [
    'Too many wrong {} for this account. Wait a moment, then try again.',
    'Demasiados intentos incorrectos de {0} en esta cuenta. Espere un momento e inténtelo de nuevo.',
  ],
  ['The study was cancelled already.', 'El estudio ya estaba cancelado.'],
  ['The study is not cancelled.', 'El estudio no está cancelado.'],
  ['The study is active again.', 'El estudio vuelve a estar activo.'],
  ['The user had no access.', 'El usuario no tenía acceso.'],
  [
    'The last owner keeps access: make another owner first.',
    'El último propietario conserva el acceso: nombre primero a otro propietario.',
  ],
  ['The user has no access any more.', 'El usuario ya no tiene acceso.'],
  ['The user is active.', 'El usuario está activo.'],
  [
    'The user never accepted the invitation, which is over: invite the person again.',
    'El usuario nunca aceptó la invitación, que ya no vale: invite de nuevo a la persona.',
  ],
  ['Another user has the e-mail address by now.', 'Otro usuario tiene ya esa dirección de correo.'],
  ['The user has access again.', 'El usuario vuelve a tener acceso.'],
  [
    'Access of an administrator of the gateway is given and taken in the window only.',
    'El acceso de un administrador de la pasarela solo se da y se quita en la ventana.',
  ],
  ['An owner is changed in the window only.', 'Un propietario solo se cambia en la ventana.'],
  [
    'Only an owner may change an owner, or make one.',
    'Solo un propietario puede cambiar a un propietario o nombrar a otro.',
  ],
  [
    'The last owner stays one: make another owner first.',
    'El último propietario sigue siéndolo: nombre primero a otro propietario.',
  ],
  [
    'This workstation does not ask any more, or was removed.',
    'Este puesto ya no lo pide, o se eliminó.',
  ],
  [
    'Too many workstations ask at once. Have somebody answer them, or try again in an hour.',
    'Demasiados puestos lo piden a la vez. Haga que alguien los atienda, o inténtelo de nuevo en una hora.',
  ],
  [
    'The gateway has an internal error, reference {}; its log has the same.',
    'La pasarela tiene un error interno, referencia {0}; su registro tiene la misma.',
  ],
  [
    'The gateway is starting: try again in a moment.',
    'La pasarela se está iniciando: inténtelo de nuevo en un momento.',
  ],
  [
    'Another Isthmus is already running on the data folder {}. End it first, or choose another folder with --data.',
    'Ya hay otro Isthmus en marcha con la carpeta de datos {0}. Ciérrelo primero, o elija otra carpeta con --data.',
  ],
  [
    'must be a cursor given with an earlier page',
    'debe ser un cursor dado con una página anterior',
  ],
  ['must be the password that you sign in with', 'debe ser la contraseña con la que inicia sesión'],
  ['must not be the present password', 'no debe ser la contraseña actual'],
  [
    'must be the password of who is signed in',
    'debe ser la contraseña de quien ha iniciado sesión',
  ],
  [
    'must not be the address of another user or of a pending invitation',
    'no debe ser la dirección de otro usuario ni de una invitación pendiente',
  ],
  ['A partner system of the clinic', 'Un sistema del socio de la clínica'],
  ['must be given, or userId', 'debe indicarse, o userId'],
  ['must be the user of that invitation', 'debe ser el usuario de esa invitación'],
  ['has expired', 'ha caducado'],
  ['was accepted already', 'ya se aceptó'],
  ['must be who works on the study: it is {}', 'debe ser quien trabaja en el estudio: es {0}'],
  ['must be a user who can create reports', 'debe ser un usuario que pueda crear informes'],
  ['must have at least {} characters', 'debe tener al menos {0} caracteres'],
  [
    'must not be a name, with or without a year, an e-mail address or one letter again and again',
    'no debe ser un nombre, con o sin año, una dirección de correo ni una letra repetida',
  ],
  [
    'is one of the passwords that are tried first',
    'es una de las contraseñas que se prueban primero',
  ],
  ['must not be the address of another user', 'no debe ser la dirección de otro usuario'],
  ['password and code', 'contraseña y código'],
  [
    'must be the six digits that the authenticator shows now',
    'debe ser los seis dígitos que muestra ahora el autenticador',
  ],
  ['This PC', 'Este PC'],
  ['is not a setting', 'no es un ajuste'],
  ['must be a UUID', 'debe ser un UUID'],
  ['must not be that of another study of the area', 'no debe ser el de otro estudio del área'],
  ['must be true for the level {}', 'debe ser true para el nivel {0}'],
  [
    'must be given for a user who can create reports',
    'debe indicarse para un usuario que puede crear informes',
  ],
  ['must stay owner: there is no other', 'debe seguir siendo propietario: no hay otro'],
  ['https.port (Settings, Access from other PCs)', 'https.port (Ajustes, Acceso desde otros PC)'],
  ['was revoked', 'se revocó'],
  ['was rejected', 'se rechazó'],
  [
    'Take your own second factor off under My account, with your password.',
    'Quite su propio segundo factor en Mi cuenta, con su contraseña.',
  ],
]
