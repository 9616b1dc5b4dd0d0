import type { Handler } from "../service";

export const refreshToken: Handler<"refreshToken"> = ({ credentials, behaviour }, { fields }) => ({
  data: credentials.refresh(fields.refresh_token, behaviour),
});
