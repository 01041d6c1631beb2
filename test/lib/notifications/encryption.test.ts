import { createECDH } from 'node:crypto';
import { expect, it } from 'vitest';
import { decrypt, usePushService } from '../../support/push-service.ts';

usePushService();

/*
 * In these tests, the push service is a second implementation besides the library that encrypts.
 * The example of RFC 8291, section 5, shows that it is correct.
 */
it('the decryption of pushes in the tests reads the example of RFC 8291', () => {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(Buffer.from('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url'));
  const body =
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN';
  const keys = { ecdh, publicKey: ecdh.getPublicKey(), secret: Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url') };
  expect(decrypt(Buffer.from(body, 'base64url'), keys)).toBe('When I grow up, I want to be a watermelon');
});
