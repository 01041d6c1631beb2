import { fromConfig } from '../../settings/config.ts';
import type { Step } from '../request.ts';

/**
 * Adds the headers that OWASP's REST cheat sheet recommends for an API. No browser should render or
 * frame its responses, or guess their type.
 */
export function securityHeaders(): Step {
  return { after: addSecurityHeaders, onError: addSecurityHeaders };
}

const addSecurityHeaders: NonNullable<Step['after']> = ({ response }) => {
  if (response) response.headers = { ...headers(), ...response.headers };
};

/** The security headers of every response. */
export const headers = fromConfig((config) => ({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  // By default without subdomains: they may belong to somebody else, and may lack TLS.
  'Strict-Transport-Security': `max-age=31536000${config.hsts === 'subdomains' ? '; includeSubDomains' : ''}`,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}));
