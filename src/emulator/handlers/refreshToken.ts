import type { RefreshTokenRequest } from "../../service/types";
import type { Handler } from "../service";

export const refreshToken: Handler<RefreshTokenRequest> = ({ credentials, behaviour }, { fields }) => ({
  data: credentials.refresh(fields.refresh_token, behaviour),
});
